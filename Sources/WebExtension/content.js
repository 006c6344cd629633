// Connects a page's feeder to the extension, and the daemon's states to the bars: the extension's, and the page's own, which
// listens for its document's event `scrolld`.
{
  globalThis.hasFeeder = true;
  let port = null;
  let delay = 100;
  let bar;
  let hasTitle = false;
  const titleOf = getter(Document, 'title');

  const feeder = new ScrollFeeder({
    transport(message) {
      // The page may be about to go.
      if (!port && chrome.runtime?.id) connect();
      // At most 4,096 bytes, and no half characters.
      if (hasTitle) for (const operation of message.operations) if (operation.op === 'open') operation.title = titleOf(document).slice(0, 1365).toWellFormed();
      const { dropped, leftOut } = feeder;
      if (dropped || leftOut) message.losses = { dropped, leftOut };
      port.postMessage(message);
      feeder.dropped -= dropped;
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
    const own = port = chrome.runtime.connect({ name: 'feeder' });
    port.onMessage.addListener(receive);
    port.onDisconnect.addListener(() => {
      void chrome.runtime?.lastError;
      if (port !== own) return;
      port = null;
      feeder.detach();
      // The service worker may have ended.
      setTimeout(() => port ?? connect(), delay);
      delay = Math.min(delay * 2, 5000);
    });
  }

  function receive(message) {
    const { type } = message;
    if (type === 'attach') {
      delay = 100;
      feeder.attach();
    } else if (type === 'settings') {
      hasTitle = message.title;
      if (message.bar && window === top) bar ??= new PageBar(feeder);
      else bar = bar?.remove();
    } else if (type === 'detach') feeder.detach();
    else if (type === 'stop') stop();
    else feeder.receive(message);
  }

  function stop() {
    feeder.stop();
    bar = bar?.remove();
    port?.disconnect();
    port = {};
  }

  feeder.isConnected = false;
  feeder.start();
  connect();
  // Ports do not survive the browser's cache.
  addEventListener('pageshow', ({ persisted }) => { if (persisted) connect(); });
}
