// Connects a page's feeder to the extension, and the daemon's pushes to the bars: the extension's, and the page's own, which
// listens for the event `scrolld` of its document. The event's `detail` is the state as JSON.
'use strict';

{
  globalThis.hasFeeder = true;
  let port = null;
  let delay = 100;
  let bar = null;
  let title;

  const feeder = new ScrollFeeder({
    transport(message) {
      if (!port) throw new Error('no connection');
      port.postMessage({ ...message, title, losses: feeder.losses });
    },
    onState(state, scroller) {
      if (!scroller.isDocument) return;
      bar?.show(state);
      document.dispatchEvent(new CustomEvent('scrolld', { detail: JSON.stringify(state) }));
    },
  });

  function connect() {
    // Without an id, the extension is gone or was updated.
    if (!chrome.runtime?.id) return stop();
    port = chrome.runtime.connect({ name: 'feeder' });
    port.onMessage.addListener(receive);
    port.onDisconnect.addListener(() => {
      void chrome.runtime?.lastError;
      port = null;
      feeder.detach();
      // The service worker ended, or the page was in the browser's cache: come back.
      setTimeout(() => port ?? connect(), delay);
      delay = Math.min(delay * 2, 5000);
    });
  }

  function receive(message) {
    switch (message.type) {
      case 'attach':
        delay = 100;
        feeder.attach();
        break;
      case 'detach': feeder.detach(); break;
      case 'settings':
        title = message.title ? document.title : undefined;
        if (message.bar && window === top) bar ??= new PageBar(feeder);
        else removeBar();
        break;
      case 'stop': stop(); break;
      default: feeder.receive(message);
    }
  }

  function removeBar() {
    bar?.remove();
    bar = null;
  }

  function stop() {
    feeder.stop();
    removeBar();
    port?.disconnect();
    port = {};
  }

  feeder.isConnected = false;
  feeder.start();
  connect();
}
