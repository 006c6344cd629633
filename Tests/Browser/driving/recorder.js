// An independent recording of a page's scrolling, made in the page itself over the DevTools protocol. It shares no code with the
// extension. What it can't see, who scrolled, the driver tells it by `recorder.cause`.
(() => {
  const events = [];
  const selector = '%SELECTOR%';
  const recorder = window.recorder = { events, cause: 'user', phases: [] };
  const clock = stamp => Math.round((performance.timeOrigin + stamp) * 1000);
  let finger = null, known = {}, place = {}, scale = 1, isZooming = false, wheeled = 0, last = null;

  const view = () => (selector ? document.querySelector(selector) : document.scrollingElement);
  const sizes = () => {
    const element = view();
    const viewport = selector || scale === 1 ? null : visualViewport;
    return {
      contentWidth: element.scrollWidth * scale, contentHeight: element.scrollHeight * scale,
      frameWidth: viewport ? viewport.width * scale : element.clientWidth,
      frameHeight: viewport ? viewport.height * scale : element.clientHeight,
    };
  };
  const offset = () => (selector
    ? { x: view().scrollLeft, y: view().scrollTop }
    : { x: visualViewport.pageLeft * visualViewport.scale, y: visualViewport.pageTop * visualViewport.scale });
  const put = (kind, stamp, rest) => events.push({ kind, time: clock(stamp), ...rest });
  const layout = (stamp, moved) => {
    if (!view()) return;
    const now = sizes();
    const changed = Object.keys(now).filter(name => Math.abs(now[name] - (known[name] ?? -1)) > 0.01);
    if (!changed.length) return;
    known = now;
    const here = offset();
    const withPlace = moved || !events.length;
    if (withPlace) place = here;
    put('layout', stamp, { ...Object.fromEntries(changed.map(name => [name, now[name]])), ...(withPlace && here) });
  };
  const seen = ({ clientX, clientY }) => ({
    x: (clientX - visualViewport.offsetLeft) * visualViewport.scale, y: (clientY - visualViewport.offsetTop) * visualViewport.scale });
  const atEdge = down => (down ? place.y >= known.contentHeight - known.frameHeight - 1 : place.y <= 1);
  const source = () => (recorder.cause === 'user' ? {} : { source: recorder.cause });

  const scrolled = event => {
    if (selector ? event.target !== view() : event.target !== document && event.target !== visualViewport) return;
    const here = offset();
    const before = place;
    layout(event.timeStamp, recorder.cause === 'layout');
    if (event.target === visualViewport && Math.abs(here.y - before.y) < 0.5 && Math.abs(here.x - before.x) < 0.5) return;
    place = here;
    put('scroll', event.timeStamp, { ...here, ...(finger?.began && recorder.cause === 'user' && finger.translation), ...source() });
    last = recorder.cause;
    wheeled = 0;
  };
  document.addEventListener('scroll', scrolled, true);
  visualViewport.addEventListener('scroll', scrolled);
  document.addEventListener('scrollend', event => {
    if (!last || finger || (selector ? event.target !== view() : event.target !== document)) return;
    put('scrollEnd', event.timeStamp, { ...place, ...(last === 'user' ? {} : { source: last }) });
    last = null;
  }, true);
  document.addEventListener('touchstart', event => {
    if (event.touches.length > 1 && finger?.began) {
      put('dragEnd', event.timeStamp, { ...place, ...finger.translation });
    }
    const [touch] = event.touches;
    finger = event.touches.length === 1 ? { ...seen(touch), target: event.target } : null;
  }, { capture: true, passive: true });
  document.addEventListener('touchmove', event => {
    if (!finger || event.touches.length > 1) return;
    const [touch] = event.touches;
    const before = finger.translation?.translationY ?? 0;
    finger.translation = { translationX: seen(touch).x - finger.x, translationY: seen(touch).y - finger.y };
    if (selector && !view().contains(finger.target)) return;
    if (!finger.began) put('dragBegin', event.timeStamp, { ...place });
    finger.began = true;
    finger.pulls = finger.translation.translationY < before ? atEdge(true) : finger.translation.translationY > before && atEdge(false);
  }, { capture: true, passive: true });
  const lifted = event => {
    if (isZooming && event.touches.length < 2) {
      put('zoomEnd', event.timeStamp, { zoomScale: scale, ...offset() });
      isZooming = false;
    }
    if (!finger?.began) return void (finger = null);
    put('dragEnd', event.timeStamp, { ...place, ...finger.translation });
    finger = null;
  };
  document.addEventListener('touchend', lifted, { capture: true, passive: true });
  document.addEventListener('touchcancel', lifted, { capture: true, passive: true });
  document.addEventListener('wheel', event => {
    const own = selector ? view().contains(event.target) : true;
    if (!own || event.ctrlKey || !atEdge(event.deltaY > 0)) return;
    wheeled -= event.deltaY;
    put('scroll', event.timeStamp, { ...place, translationX: 0, translationY: wheeled });
  }, { capture: true, passive: true });
  visualViewport.addEventListener('resize', event => {
    // Before the page is there, the scale is not the user's.
    if (selector || document.readyState !== 'complete' || Math.abs(visualViewport.scale - scale) < 1e-4) return;
    if (!isZooming) put('zoomBegin', event.timeStamp, { zoomScale: scale, ...place });
    isZooming = true;
    scale = visualViewport.scale;
    place = offset();
    put('zoom', event.timeStamp, { zoomScale: scale, ...place });
    layout(event.timeStamp, true);
  });
  // In each frame: sizes that changed without a scroll, and fingers that pull at an edge.
  const frame = () => {
    requestAnimationFrame(frame);
    layout(performance.now(), false);
    if (finger?.pulls && recorder.cause === 'user') put('scroll', performance.now(), { ...place, ...finger.translation });
    if (finger) finger.pulls = false;
  };
  addEventListener('load', () => requestAnimationFrame(() => {
    place = offset();
    layout(performance.now(), true);
    requestAnimationFrame(frame);
  }));
})();
