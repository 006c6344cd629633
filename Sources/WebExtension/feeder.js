// Feeds a page's scroll views to scrolld: the document, number 0, and every element that scrolls. Also usable alone in a web view.
const ROUNDING = 0.5; // Smaller movements, in points, are none.
const BATCH = 1000; // 120 KB.
const UNANSWERED = 2;
const QUEUE = 8192; // Events of a session: more than a minute of scrolling.
const SCROLLERS = 8; // In a document.
const STRANGERS = 64; // Scrolls of further scroll views until they aren't listened to for a second.
// In milliseconds:
const IDLE = 300; // Without an event, a scroll is over even if the browser doesn't say so.
const RELAYOUT = 400; // A new size of the window moves the content for this time.
const GLIDE = 1000; // How long a wheel, a key or a pinch moves the content, and the longest pause of a fling whose end the browser reports.
const DOUBT = 50; // The browser may scroll this long before it tells the page of the wheel.
const LULL = 200; // What changes no bar may wait this long for more.
const STEADY = 100; // The longest pause within a steady movement.
const UNREAD = 8; // Events of a steady movement between two readings of the sizes.
const VACANT = 10000; // A scroll view that hasn't moved for this long gives way to another one.
const REST = 300; // A finger that hasn't moved for this long rests.
const NEAR = 64; // A finger may reach the end within a frame from this many points away.
const EDGE = 32; // The mouse scrolls a selection this near to a frame's edge, in points, or from a scrollbar.
const JUMP = 16; // Points by which a steady movement changes at most from one event to the next.

// A page can hide a property behind an element of that name, but not the prototypes' own.
const getter = (type, name) => Function.prototype.call.bind(Object.getOwnPropertyDescriptor(type.prototype, name).get);
const scrollingElement = getter(Document, 'scrollingElement');
const isHidden = getter(Document, 'hidden').bind(null, document);
const parentOf = getter(Node, 'parentNode');
const childrenOf = getter(Element, 'children');
const read = {};
for (const name of ['scrollLeft', 'scrollTop', 'scrollWidth', 'scrollHeight', 'clientWidth', 'clientHeight']) {
  read[name] = getter(Element, name);
}
const rectOf = element => Element.prototype.getBoundingClientRect.call(element);
const isConnected = getter(Node, 'isConnected');
const isEditable = getter(HTMLElement, 'isContentEditable');
const matches = (node, selector) => node.nodeType === 1 && Element.prototype.matches.call(node, selector);

const now = () => performance.now();
const { timeOrigin } = performance;
const microseconds = timeStamp => Math.round((timeOrigin + timeStamp) * 1000);
const rounded = value => Math.round(value * 1e4) / 1e4;
const moves = distance => Math.abs(distance) > ROUNDING;
const fits = (moved, allowed) => !moves(moved) || (moved * allowed > 0 && Math.abs(moved) <= Math.abs(allowed) + 4);
// Only Firefox keeps to itself how far a key or a wheel's line goes.
const isFirefox = CSS.supports('-moz-appearance', 'none');
const newID = () => [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('');

// A scroll view's events. They keep their numbers until the daemon has stored them, so that nothing is lost or stored twice.
class Session {
  constructor(scroller) {
    this.scroller = scroller;
    this.queue = []; // Events without a number.
    this.refusals = 0; // How often in succession the daemon has found it invalid.
    this.begin();
  }

  begin() {
    this.id = newID();
    this.number = this.confirmed = 1;
    this.sent = []; // Batches without an answer: {number, events}.
    this.isOpening = true;
  }

  // When too many wait, the oldest goes, but not the first, which may be the layout.
  add(event) {
    if (this.isOver) this.scroller.feeder.dropped += 1;
    else this.queue.push(event);
    if (this.queue.length > QUEUE) this.scroller.feeder.dropped += this.queue.splice(1, 1).length;
  }

  // What may be sent now; everything when `isLast`.
  *take(isLast) {
    if (this.isOver) return;
    if (this.isOpening) yield this.opening;
    this.isOpening = false;
    while (this.queue.length && (isLast || this.sent.length < UNANSWERED)) {
      const batch = { number: this.number, events: this.queue.splice(0, BATCH) };
      this.number += batch.events.length;
      this.sent.push(batch);
      yield this.operation('append', batch);
    }
  }

  operation(op, rest) { return { op, session: this.id, ...rest }; }
  get opening() { return this.operation('open', { scroller: this.scroller.number, time: this.scroller.since }); }

  // Everything without an answer, for a new connection.
  again() { return this.isOpening || this.isOver ? [] : [this.opening, ...this.sent.map(batch => this.operation('append', batch))]; }

  confirm(nextNumber, isOpened) {
    // The answer to a batch that was sent twice is older than that to the opening between.
    if (nextNumber < this.confirmed && !isOpened) return;
    this.confirmed = nextNumber;
    if (nextNumber > 1) this.refusals = 0;
    this.sent = this.sent.filter(({ number, events }) => number + events.length > nextNumber);
    // The daemon has lost events.
    if (nextNumber < (this.sent[0]?.number ?? this.number)) this.restart('gap');
  }

  // The host has no room for a batch yet.
  takeBack(number) {
    const back = this.sent.filter(batch => batch.number >= number);
    if (!back.length) return;
    this.sent = this.sent.filter(batch => batch.number < number);
    this.queue.unshift(...back.flatMap(({ events }) => events));
    this.number = number;
  }

  restart(reason) {
    const events = this.sent.flatMap(batch => batch.events);
    const isInvalid = reason.startsWith('invalid');
    this.refusals = isInvalid ? this.refusals + 1 : 0;
    this.isOver = this.refusals > 1;
    if (isInvalid) this.scroller.feeder.dropped += events.length + (this.isOver ? this.queue.length : 0);
    else this.queue.unshift(...events);
    if (reason === 'forgotten' || this.isOver) this.queue = [];
    this.begin();
    if (this.isOver) return;
    this.queue.unshift({ ...this.scroller.fullLayout(), time: this.queue[0]?.time ?? microseconds(now()) });
  }
}

// What the user does, and which movements that explains.
class Input {
  touches = 0;
  isPressing = false; // The mouse: a scrollbar, or a selection.
  pressed = [0, 0]; // Where it was pressed, and where it is.
  pointer = [0, 0];
  fingerMoved = 0;
  fling = null; // After a drag: {ways, hasMoved}, the directions in which it may go on.
  caught = -Infinity; // In Firefox, when a fling has ended, or what followed has last moved.
  left = { x: 0, y: 0, since: 0, until: 0 }; // What wheel and keys have yet to move.
  key = null; // A page may yet cancel the last key.
  target = null;

  keyDown(event, page, scale) {
    const { key, target, altKey, shiftKey } = event;
    const line = isFirefox ? 200 : 40 / Math.min(1, devicePixelRatio);
    const distance = scale * (/^(Home|End)$/.test(key) ? Infinity : /^( $|Page)/.test(key) ? page * (isFirefox ? 1 : 7 / 8) : /^Arrow/.test(key) ? line : 0);
    const isTyped = (target instanceof HTMLElement && isEditable(target)) || matches(target, 'input, textarea, select');
    const isClick = key === ' ' && matches(target, 'button, summary, video, audio, [role=button]');
    if (!distance || altKey || isTyped || isClick) return;
    const way = /Up|Left|Home/.test(key) || (key === ' ' && shiftKey) ? -distance : distance;
    this.allow(event, ...(/Left|Right/.test(key) ? [way, 0] : [0, way]), null);
    this.key = event;
  }

  allow({ timeStamp }, x, y, target) {
    const { left } = this;
    const add = (sum, more) => (timeStamp > left.until || sum * more < 0 ? 0 : sum) + more;
    this.left = { x: add(left.x, x), y: add(left.y, y), since: timeStamp, until: now() + GLIDE };
    this.target = target;
    this.fling = this.key = null;
  }

  stop() {
    this.fling = null;
    this.caught = -Infinity;
    this.left.until = 0;
  }

  // Whether a wheel or a key since a time explains a movement up or down.
  hasMoved(scroller, y, since) {
    const { left, target } = this;
    return left.since > since && now() < left.until && (!target || scroller.contains(target)) && fits(y, left.y);
  }

  explains({ scroller, x, y, timeStamp, elapsed }) {
    if (this.isPressing && (scroller.isAtEdge(this.pressed) || scroller.isAtEdge(this.pointer))) return true;
    if (this.target && !scroller.contains(this.target)) return false;
    const { fling, left } = this;
    const isPlausible = Math.hypot(x, y) <= 100 + 12 * elapsed;
    // What moves under a finger that rests, comes nearer to it. A page doesn't hear of one whose target it has removed.
    if (this.touches === 1 && isConnected(this.target) && timeStamp - this.fingerMoved > REST) return scroller.fingerDistance(0, 0) < scroller.fingerDistance(x, y) + 4;
    if (this.touches) return isPlausible || scroller.fingerDistance(0, 0) <= 100;
    if (fling) {
      if (!isPlausible || fling.ways.every(way => x * way[0] + y * way[1] < 0)) return false;
      Object.assign(fling, { ways: [[x, y]], hasMoved: true });
      return true;
    }
    // Firefox doesn't tell the page of a finger that catches a fling.
    if (isPlausible && timeStamp - this.caught < IDLE) {
      this.caught = timeStamp;
      return true;
    }
    if (timeStamp > left.until || this.key?.defaultPrevented || !fits(x, left.x) || !fits(y, left.y)) return false;
    left.x -= x;
    left.y -= y;
    return true;
  }
}

class Scroller {
  scale = 1;
  minimumScale = 1;
  sizes = {};
  push = { x: 0, y: 0 };
  drag = null; // {x, y, translation, direction, ways} while a finger is down.
  source = null; // That of the scroll under way.
  speed = 0; // The last movement, unless it was the layout's.
  travel = 0; // How far the content has moved in one direction.
  unread = 0; // Events since the sizes were read.

  constructor(feeder, element, number) {
    Object.assign(this, { feeder, element, number, isDocument: number === 0, since: microseconds(now()), lastScroll: now(), lastTime: now(), earlierTime: now() });
    this.session = new Session(this);
    this.isRightToLeft = getComputedStyle(element).direction === 'rtl';
    Object.assign(this, this.offset());
    this.readSizes();
    this.session.add(this.fullLayout());
    this.look();
    this.observer = new ResizeObserver(() => {
      this.measure(now());
      feeder.schedule();
    });
    const parts = this.isDocument && document.body ? [document.body] : [...childrenOf(element)].slice(0, 16);
    for (const part of [element, ...parts]) this.observer.observe(part);
  }

  // The offset, in zoomed points. Each reading makes the browser check its layout, so what can't move sideways isn't asked.
  offset() {
    const { element, sizes: { contentWidth, frameWidth } } = this;
    const scale = this.isDocument ? this.scale = visualViewport.scale : this.scale;
    const isNarrow = scale === 1 && contentWidth <= frameWidth;
    if (!this.isDocument) return { x: isNarrow ? this.x : read.scrollLeft(element), y: read.scrollTop(element) };
    return { x: isNarrow ? this.x : visualViewport.pageLeft * scale, y: visualViewport.pageTop * scale };
  }

  get place() { return { x: rounded(this.x), y: rounded(this.y) }; }
  get largest() {
    const { contentWidth, contentHeight, frameWidth, frameHeight } = this.sizes;
    return { x: contentWidth - frameWidth, y: contentHeight - frameHeight };
  }

  // A page may have removed what was touched.
  contains(node) { return this.isDocument || !isConnected(node) || Node.prototype.contains.call(this.element, node); }

  // Pages that load report resizes of nothing.
  get isResized() { return ['Width', 'Height'].some(side => read[`client${side}`](this.element) !== this.sizes[`frame${side}`]); }

  get isStill() {
    const { x, y } = this.offset();
    return !moves(x - this.x) && !moves(y - this.y);
  }

  // How far the content can move in a direction from a place.
  room(x, y, place) {
    const isSideways = Math.abs(x) > Math.abs(y);
    const by = isSideways ? (this.isRightToLeft ? -x : x) : y;
    const at = isSideways ? Math.abs(place.x) : place.y;
    return by > 0 ? this.largest[isSideways ? 'x' : 'y'] - at : by < 0 ? at : 0;
  }

  // Whether no end is near, as of the last report.
  isFar(x, y) { return this.room(x, y, this) > this.sizes.frameHeight / 3; }

  canScroll(x, y) { return this.isFar(x, y) || this.room(x, y, this.offset()) > 1; }

  readSizes() {
    const { element, scale } = this;
    this.unread = 0;
    this.minimumScale = Math.min(this.minimumScale, scale);
    const sizes = {
      contentWidth: rounded(read.scrollWidth(element) * scale), contentHeight: rounded(read.scrollHeight(element) * scale),
      frameWidth: read.clientWidth(element), frameHeight: read.clientHeight(element),
      ...(this.isDocument && { minimumZoomScale: this.minimumScale }),
    };
    let changed = null;
    for (const name in sizes) if (sizes[name] !== this.sizes[name]) (changed ??= {})[name] = sizes[name];
    this.sizes = sizes;
    return changed;
  }

  measure(time, isScroll = false) {
    const { sizes: before, scale } = this;
    const { x, y } = this.offset();
    const moved = y - this.y;
    if (isScroll && scale === this.scale && this.isSteady(time, moved)) return { x, y };
    this.locate();
    const changed = this.readSizes();
    const shift = scale === 1 && this.scale === 1 && moves(moved) ? this.layoutShift(moved, before, time) : 0;
    if (shift) {
      this.y += shift;
      if (time - this.feeder.resized < RELAYOUT) this.x = x;
      this.look(y - this.y);
      this.isShifted = true;
    }
    if (changed || shift) this.add('layout', time, { ...changed, ...(shift && this.place) });
    return { x, y };
  }

  // Whether a scroll just continues. What changes the sizes meanwhile, the observer sees, or one of the next events does.
  isSteady(time, moved) {
    const { feeder, lastScroll, speed } = this;
    this.unread += 1;
    return speed && this.unread < UNREAD && time - lastScroll < STEADY && Math.abs(moved - speed) < JUMP
      && this.y + moved < this.largest.y && time - feeder.resized >= RELAYOUT;
  }

  // How much of a movement is the layout's: content got shorter, the window was resized, or scroll anchoring.
  layoutShift(moved, before, time) {
    const { input } = this.feeder;
    if (moved < 0 && this.y > this.largest.y + ROUNDING && this.y + moved >= this.largest.y - 1.5) return moved;
    if (time - this.feeder.resized < RELAYOUT && !input.touches) return input.hasMoved(this, moved, this.feeder.resized) ? 0 : moved;
    const shift = this.anchorShift(moved);
    if (!(Math.abs(shift) > 1)) return 0;
    const stayed = Math.abs(shift - moved) <= 1;
    if (moves(this.sizes.contentHeight - before.contentHeight)) return stayed ? moved : shift;
    // Other content of the same height.
    return stayed && !this.drag && !input.fling && time > input.left.until ? moved : 0;
  }

  locate() { this.anchorPlace = this.anchor && isConnected(this.anchor) ? rectOf(this.anchor) : null; }

  // The anchor, an element of the content, shows scroll anchoring: the offset moves, and the anchor doesn't.
  anchorShift(moved) {
    const { top = 0, height = 0 } = this.anchorPlace ?? {};
    return top || height ? moved + top - this.anchorTop : 0;
  }

  // Where the anchor is as of the last measurement, and another one if it is far. `pending` is how far the offset has moved without
  // a report.
  look(pending = 0) {
    let top = this.anchorPlace?.top;
    if (!(Math.abs(top - this.frameTop) < 2 * this.sizes.frameHeight)) {
      this.anchor = this.findAnchor();
      this.locate();
      top = this.anchorPlace?.top;
    }
    this.anchorTop = top + pending;
  }

  // An element a third down the frame that moves with the content.
  findAnchor() {
    const { frameWidth, frameHeight } = this.sizes;
    const { left, top } = this.isDocument ? { left: 0, top: 0 } : rectOf(this.element);
    this.frameTop = top;
    const found = Document.prototype.elementFromPoint.call(document, left + frameWidth / 2, top + frameHeight / 3);
    let element = found;
    for (; element instanceof Element && element !== this.element && element !== document.body; element = parentOf(element)) {
      if (/fixed|sticky/.test(getComputedStyle(element).position)) return null;
    }
    return element === found || !(element instanceof Element) ? null : found;
  }

  // `wait` is how long the event can wait for others.
  add(kind, time, rest, wait = 0) {
    const event = { kind, time: microseconds(time), ...rest };
    this.session.add(event);
    if (wait) this.feeder.scheduleLater(wait);
    else this.feeder.schedule();
    return event;
  }

  fullLayout() {
    return {
      kind: 'layout', time: microseconds(now()), ...this.sizes, ...this.place,
      ...(this.isRightToLeft && { rightToLeft: true }), ...(this.isPinned && { toolbarPinned: true }),
    };
  }

  scrolled({ timeStamp }) {
    const { x, y } = this.measure(timeStamp, true);
    // On a busy machine, frames may come late, and with the time of an earlier one.
    const time = this.feeder.clock(timeStamp);
    const movement = {
      scroller: this, x: x - this.x, y: y - this.y, time, timeStamp, elapsed: Math.max(timeStamp - this.lastScroll, time - this.lastTime, time - this.earlierTime),
    };
    const hasMoved = moves(movement.x) || moves(movement.y);
    // The visual viewport reports the document's movements as well.
    if (!hasMoved && !this.isShifted) return;
    this.x = x;
    this.y = y;
    this.speed = hasMoved ? movement.y : 0;
    this.travel = (this.travel * this.speed > 0 ? this.travel : 0) + this.speed;
    this.lastScroll = timeStamp;
    // After a stall, an old frame comes first, and all that has moved meanwhile is in the next one.
    this.earlierTime = time - this.lastTime > STEADY ? this.lastTime : time;
    this.lastTime = time;
    this.isShifted = false;
    if (this.unread) this.anchorTop -= movement.y;
    else this.look();
    if (!hasMoved) this.source = 'layout';
    else this.source = !this.isObeying && this.feeder.input.explains(movement) ? 'user' : 'program';
    if (this.drag && hasMoved) this.drag.ways = [[0, 0], [movement.x, movement.y]];
    const event = this.addScroll('scroll', timeStamp);
    if (this.isDoubtful) this.feeder.doubts.push({ event, ...movement });
    this.feeder.endLater(this, time);
  }

  get isDoubtful() { return this.source === 'program' && !this.isObeying; }

  // Whether the bar already is where the movement takes it, or doesn't follow, and the end is not near.
  get isUnderWay() {
    const { speed, toolbar, travel, sizes: { frameHeight } } = this;
    if (speed > 0) return (toolbar === 'hidden' || travel > frameHeight) && this.largest.y - this.y > frameHeight / 3;
    return speed < 0 && (toolbar === 'shown' || (travel < -frameHeight && this.y > frameHeight / 3));
  }

  addScroll(kind, time) {
    const { source } = this;
    const wait = this.isUnderWay ? LULL : this.isDoubtful ? DOUBT : 0;
    const extra = source !== 'user' ? { source } : kind === 'scroll' ? this.drag?.translation : null;
    return this.add(kind, time, { ...this.place, ...extra }, wait);
  }

  ended(time) {
    if (!this.source || this.drag) return;
    this.addScroll('scrollEnd', time);
    this.source = null;
    this.isObeying = false;
    this.feeder.ending.delete(this);
  }

  pushed(time, x, y) {
    this.push.x -= x;
    this.push.y -= y;
    this.add('scroll', time, { ...this.place, translationX: rounded(this.push.x), translationY: rounded(this.push.y) });
  }

  beginDrag(time) {
    this.measure(time);
    this.drag = { x: this.x, y: this.y, translation: { translationX: 0, translationY: 0 }, ways: [[0, 0]] };
    this.add('dragBegin', time, this.place, LULL);
  }

  dragged(x, y) {
    const { drag } = this;
    const { translation: { translationX, translationY }, ways: [way] } = drag;
    const moved = drag.direction = [translationX - x, translationY - y];
    way[0] += moved[0];
    way[1] += moved[1];
    drag.translation = { translationX: rounded(x), translationY: rounded(y) };
    drag.isTold = false;
  }

  // How far the content is from where the finger would take it, or was before it moved.
  fingerDistance(x, y) {
    const { drag } = this;
    return drag ? Math.hypot(this.x - x - drag.x + drag.translation.translationX, this.y - y - drag.y + drag.translation.translationY) : Infinity;
  }

  isAtEdge([x, y]) {
    const { left, top } = this.isDocument ? { left: 0, top: 0 } : rectOf(this.element);
    const { frameWidth, frameHeight } = this.sizes;
    return Math.min(x - left, y - top, left + frameWidth - x, top + frameHeight - y) < EDGE;
  }

  // A finger pulls at the edge.
  pull(time) {
    const { direction, translation, isTold } = this.drag ?? {};
    if (!direction || isTold) return;
    this.drag.isTold = true;
    if (this.lastScroll >= this.feeder.frameStart || this.canScroll(...direction)) return;
    this.add('scroll', time, { ...this.place, ...translation });
  }

  // Returns the directions in which the content may go on: the finger's since the last scroll, and the last scroll's.
  endDrag(time) {
    const { translation, ways } = this.drag;
    this.drag = null;
    this.push = { x: 0, y: 0 };
    this.add('dragEnd', time, { ...this.place, ...translation }, this.isUnderWay ? LULL : 0);
    return ways;
  }

  zoomed({ timeStamp }) {
    const { scale: before, place } = this;
    const offset = this.offset();
    if (Math.abs(this.scale - before) < 1e-4) return;
    Object.assign(this, offset);
    // Without fingers, the browser zooms: it fits the page into the window.
    const isUsers = timeStamp - this.feeder.pinched < GLIDE;
    if (!isUsers) this.minimumScale = this.scale;
    else if (!this.isZooming) this.add('zoomBegin', timeStamp, { ...place, zoomScale: rounded(before) });
    this.isZooming = isUsers;
    if (isUsers) this.add('zoom', timeStamp, { ...this.place, zoomScale: rounded(this.scale) });
    this.add('layout', timeStamp, { ...this.readSizes(), ...this.place });
    this.locate();
    this.look();
    this.feeder.endLater(this, now());
  }

  endZoom(time) {
    if (this.isZooming) this.add('zoomEnd', time, { ...this.place, zoomScale: rounded(this.scale) });
    this.isZooming = false;
  }

  pin(isPinned) {
    if (Boolean(this.isPinned) !== isPinned) this.add('layout', now(), { toolbarPinned: isPinned });
    this.isPinned = isPinned;
  }

  obey({ target, page, x, y }) {
    const { scale, largest, sizes: { frameWidth } } = this;
    this.feeder.input.stop();
    this.isObeying = true;
    const place = {
      top: { top: 0 }, bottom: { top: largest.y / scale }, offset: { left: x / scale, top: y / scale },
      page: { left: (this.isRightToLeft ? -page : page) * frameWidth / scale },
    }[target];
    Element.prototype.scrollTo.call(this.element, { ...place, behavior: 'instant' });
  }
}

class ScrollFeeder {
  input = new Input();
  scrollers = new Map(); // By the targets of their events.
  document = null; // The document's scroll view.
  ending = new Map(); // Scrollers, and when their scrolls are over.
  doubts = []; // Movements that nothing explains yet.
  dropped = 0; // Events that were given up.
  leftOut = 0; // Scroll views beyond the limit.
  known = new WeakSet(); // Those.
  strangers = 0; // Their scrolls since the feeder last heard of all.
  isConnected = true;
  frameStart = 0;
  timers = {}; // By how long they wait.
  hasWaited = false; // Whether a late end was postponed.
  framesToEnd = 0; // Frames until scrolls without events are over.
  resized = -Infinity;
  pinched = -Infinity;
  cleaned = -Infinity;
  abort = new AbortController();

  // `transport` takes a message for the native host, or throws; `onState` gets a scroll view's new state.
  constructor({ transport, onState = () => {} }) { Object.assign(this, { transport, onState }); }

  start() {
    this.listenForInput(window);
    this.hear(true);
    this.listen(document, {
      visibilitychange: () => {
        if (!isHidden()) return;
        this.isDue = true;
        this.frame();
      },
      load: ({ target }) => this.listenForInput(target?.contentDocument && target.contentWindow),
      // The first frame has the right scale.
      DOMContentLoaded: () => requestAnimationFrame(() => this.open()),
    });
    this.listen(window, {
      resize: ({ timeStamp }) => { if (this.document?.isResized) this.resized = timeStamp; },
      pagehide: () => this.close(),
      pageshow: ({ persisted }) => { if (persisted) this.open(); },
    });
    this.listen(visualViewport, {
      scroll: event => this.document?.scrolled(event), resize: event => this.document?.zoomed(event),
    });
    this.listen(window.navigation, { currententrychange: ({ navigationType }) => this.navigated(navigationType) });
    if (document.readyState !== 'loading') this.open();
  }

  // Only what the browser dispatches counts.
  listen(target, actions, { signal } = this.abort, capture = true) {
    for (const [type, action] of Object.entries(actions)) {
      if (target) EventTarget.prototype.addEventListener.call(target, type, event => { if (event.isTrusted) action(event); }, { capture, passive: true, signal });
    }
  }

  // Listens to all scroll views, or only to those that are fed: a page may move hundreds in each frame.
  hear(isAll) {
    this.hearing?.abort();
    if (this.abort.signal.aborted) return;
    this.hearing = new AbortController();
    this.strangers = 0;
    for (const target of isAll ? [document] : this.scrollers.keys()) this.hearFrom(target, isAll);
    if (!isAll) setTimeout(() => this.hear(true), 1000);
    this.hearsAll = isAll;
  }

  hearFrom(target, isAll = false) {
    this.listen(target, {
      scroll: event => this.scrollerOf(event.target, event.timeStamp)?.scrolled(event),
      scrollend: ({ target, timeStamp }) => {
        const scroller = this.scrollers.get(target);
        // The end of an earlier scroll may come after the next drag.
        if (scroller?.source === 'user' && !this.touch && this.input.fling?.hasMoved) {
          this.reportsEnds = true;
          this.input.fling = null;
          if (isFirefox) this.input.caught = timeStamp;
        }
        scroller?.ended(timeStamp);
      },
    }, this.hearing, isAll);
  }

  stop() {
    this.close();
    this.abort.abort();
    this.hearing.abort();
  }

  open() {
    this.path = location.pathname + location.search;
    const element = scrollingElement(document) ?? document.documentElement;
    if (element && !this.document) this.addScroller(document, element);
  }

  close() {
    this.remove([...this.scrollers.keys()]);
    this.touch = null;
  }

  // An application has gone to another page without loading it.
  navigated(type) {
    if (type === 'replace' || location.pathname + location.search === this.path) return;
    this.close();
    this.open();
  }

  addScroller(key, element) {
    this.count = key === document ? 0 : this.count + 1;
    const scroller = new Scroller(this, element, this.count);
    this.scrollers.set(key, scroller);
    if (!this.hearsAll) this.hearFrom(key);
    if (scroller.isDocument) this.document = scroller;
    this.schedule();
    return scroller;
  }

  remove(keys) {
    if (!keys.length) return;
    if (!this.isConnected) this.send(keys.flatMap(key => this.scrollers.get(key).session.again()));
    this.flush(true);
    this.send(keys.map(key => this.scrollers.get(key).session.operation('close', { time: microseconds(now()) })));
    for (const key of keys) {
      const scroller = this.scrollers.get(key);
      scroller.observer.disconnect();
      this.ending.delete(scroller);
      this.scrollers.delete(key);
      if (scroller.isDocument) this.document = null;
    }
  }

  scrollerOf(target, time) {
    const known = this.scrollers.get(target);
    if (known || !this.document || target === document) return known;
    if (target === this.document.element) return this.document;
    if (this.scrollers.size >= SCROLLERS && time - this.cleaned > 1000) {
      this.cleaned = time;
      this.remove([...this.scrollers].filter(([key, { lastScroll, drag, isDocument }]) => !isConnected(key)
        || (time - lastScroll > VACANT && !drag && !isDocument)).map(([key]) => key));
    }
    if (this.scrollers.size < SCROLLERS) return matches(target, 'input, textarea') ? undefined : this.addScroller(target, target);
    if (!this.known.has(target)) this.leftOut += 1;
    this.known.add(target);
    this.strangers += 1;
    if (this.strangers > STRANGERS) this.awaitFrame();
    return undefined;
  }

  // The time, which isn't read for each of many scroll views that move in a frame.
  clock(timeStamp) {
    if (this.lastStamp !== timeStamp) this.time = now();
    this.lastStamp = timeStamp;
    return this.time;
  }

  // The scroll view that a push moves, or would move.
  pushed(node, x, y) {
    let innermost = null;
    for (const element of this.scrollable(node)) {
      const scroller = this.scrollerOf(element, now());
      if (scroller?.canScroll(x, y)) return scroller;
      innermost ??= scroller;
    }
    return innermost && !this.document.canScroll(x, y) ? innermost : this.document;
  }

  // The elements around a node that scroll, from the inside; those of the same node are asked for often.
  scrollable(node) {
    const time = now();
    if (this.around?.node === node && time < this.around.until) return this.around.elements;
    const elements = [];
    for (let element = node; element instanceof Element && element !== document.body; element = parentOf(element)) {
      const isLarger = read.scrollHeight(element) > read.clientHeight(element) || read.scrollWidth(element) > read.clientWidth(element);
      if (isLarger && element !== this.document?.element && /auto|scroll/.test(getComputedStyle(element).overflow)) elements.push(element);
    }
    this.around = { node, elements, until: time + IDLE };
    return elements;
  }

  endLater(scroller, time) {
    this.hasWaited = false;
    this.ending.set(scroller, time + (this.reportsEnds && this.input.fling?.hasMoved ? GLIDE : IDLE));
    this.endTimer ??= setTimeout(() => this.endIdle(), IDLE);
  }

  endIdle() {
    const wait = Math.min(...this.ending.values()) - now();
    // Otherwise the browser has reported all ends, and the minimum of nothing is infinite.
    if (wait > 1 && this.ending.size) {
      this.endTimer = setTimeout(() => this.endIdle(), wait);
      return;
    }
    // A late timer shows that the page was busy: what it waits for may yet come.
    if (wait < -DOUBT && !this.hasWaited) {
      this.hasWaited = true;
      this.endTimer = setTimeout(() => this.endIdle(), IDLE);
      return;
    }
    // If the page was busy, the frame under way is an old one, and the next one may have more of the scroll.
    this.framesToEnd = 2;
    this.awaitFrame();
  }

  endDue() {
    this.endTimer = undefined;
    const time = now();
    for (const [scroller, due] of this.ending) {
      if (due > time + 1) continue;
      if (this.input.touches < 2) scroller.endZoom(time);
      if (scroller.drag) continue;
      this.ending.delete(scroller);
      scroller.ended(time);
    }
    if (this.ending.size) this.endTimer = setTimeout(() => this.endIdle(), 50);
    else this.input.fling = null;
  }

  // A wheel in a frame may go on in this document.
  listenForInput(target) {
    const press = ({ buttons, type, clientX, clientY }) => {
      const { input } = this;
      input.isPressing = Boolean(buttons & 1);
      input.pointer = [clientX, clientY];
      if (type === 'mousedown') input.pressed = input.pointer;
    };
    this.listen(target, {
      wheel: event => this.wheeled(event),
      keydown: event => {
        this.input.keyDown(event, this.document?.sizes.frameHeight ?? 0, visualViewport.scale);
        this.reconsider(event);
      },
      touchstart: event => this.touched(event), touchmove: event => this.touchMoved(event),
      touchend: event => this.lifted(event), touchcancel: event => this.lifted(event),
      mousedown: press, mouseup: press, mousemove: press,
    });
  }

  // What moved before the page heard of the input was the user's.
  reconsider({ timeStamp }) {
    if (!this.doubts.length) return;
    this.doubts = this.doubts.filter(movement => {
      if (movement.time < timeStamp - 1 || !this.input.explains(movement)) return true;
      delete movement.event.source;
      movement.scroller.source = 'user';
      return false;
    });
  }

  wheeled(event) {
    if (event.ctrlKey) this.pinched = event.timeStamp;
    if (event.ctrlKey || !this.document) return;
    const unit = [1, 20, this.document.sizes.frameHeight][event.deltaMode] * this.document.scale;
    const { deltaX, deltaY } = event;
    const way = (event.shiftKey && !deltaX ? [deltaY, 0] : [deltaX, deltaY]).map(delta => delta * unit);
    const [x, y] = way.map(distance => distance * (event.deltaMode ? 5 : isFirefox ? 1.5 : 1.05));
    this.input.allow(event, x, y, event.target);
    this.reconsider(event);
    const scroller = this.pushed(event.target, ...way);
    if (!scroller.canScroll(...way) && scroller.isStill) scroller.pushed(event.timeStamp, ...way);
  }

  // Where a finger is in the window, whatever part of a zoomed page that shows.
  finger(touch) {
    const { clientX, clientY } = touch;
    const { scale } = visualViewport;
    if (scale === 1) return { x: clientX, y: clientY };
    return { x: (clientX - visualViewport.offsetLeft) * scale, y: (clientY - visualViewport.offsetTop) * scale };
  }

  touched({ touches, timeStamp }) {
    this.input.touches = touches.length;
    this.input.fingerMoved = timeStamp;
    this.input.stop();
    if (touches.length > 1) return this.endTouch(timeStamp);
    const { target } = touches[0];
    this.input.target = target;
    this.touch = { target, ...this.finger(touches[0]), scroller: null };
  }

  touchMoved(event) {
    const { touch } = this;
    this.pinched = this.input.fingerMoved = event.timeStamp;
    if (!touch) return;
    const place = this.finger(event.touches[0]);
    const x = place.x - touch.x;
    const y = place.y - touch.y;
    if (!touch.scroller) {
      touch.scroller = this.pushed(touch.target, -x, -y);
      touch.scroller?.beginDrag(event.timeStamp);
    }
    const { scroller } = touch;
    scroller?.dragged(x, y);
    this.reconsider(event);
    if (scroller && scroller.room(...scroller.drag.direction, scroller) < NEAR) this.awaitFrame();
  }

  lifted({ touches, timeStamp }) {
    this.pinched = timeStamp;
    this.input.touches = touches.length;
    this.endTouch(timeStamp);
    if (touches.length < 2) this.document?.endZoom(timeStamp);
  }

  endTouch(time) {
    const scroller = this.touch?.scroller;
    this.touch = null;
    if (!scroller?.drag) return;
    scroller.pull(time);
    const ways = scroller.endDrag(time);
    this.input.fling = { ways, hasMoved: ways.length > 1 };
    this.endLater(scroller, now());
  }

  // A message a frame at most.
  schedule() {
    this.isDue = true;
    this.awaitFrame();
  }

  // For events that can wait for others.
  scheduleLater(wait) {
    this.timers[wait] ??= setTimeout(() => {
      this.timers[wait] = undefined;
      this.flush();
    }, wait);
  }

  // A hidden page has no frames.
  awaitFrame() {
    if (this.isAwaiting) return;
    this.isAwaiting = true;
    if (isHidden()) setTimeout(this.frame, 50);
    else requestAnimationFrame(this.frame);
  }

  frame = () => {
    this.isAwaiting = false;
    this.touch?.scroller?.pull(now());
    this.frameStart = now();
    if (this.strangers > STRANGERS) this.hear(false);
    if (this.framesToEnd) {
      this.framesToEnd -= 1;
      if (this.framesToEnd) this.awaitFrame();
      else this.endDue();
    }
    if (this.isDue) this.flush();
  };

  flush(isLast = false) {
    this.isDue = false;
    if (!this.isConnected && !isLast) return;
    let operations = [];
    let room = BATCH;
    for (const scroller of this.scrollers.values()) {
      const doubt = this.doubts.find(movement => movement.scroller === scroller);
      const isDoubtful = doubt && now() - doubt.time < DOUBT;
      if (!isLast && (room <= 0 || isDoubtful)) {
        if (isDoubtful) this.scheduleLater(DOUBT);
        else this.schedule();
        continue;
      }
      if (doubt) this.doubts = this.doubts.filter(movement => movement.scroller !== scroller);
      for (const operation of scroller.session.take(isLast)) {
        room -= operation.events?.length ?? 0;
        operations.push(operation);
        if (room > 0) continue;
        this.send(operations);
        operations = [];
        room = isLast ? BATCH : 0;
      }
    }
    if (operations.length) this.send(operations);
  }

  send(operations) {
    try {
      this.transport({ operations });
    } catch {
      this.isConnected = false;
    }
  }

  detach() { this.isConnected = false; }

  attach() {
    this.isConnected = true;
    for (const { session } of this.scrollers.values()) for (const operation of session.again()) this.send([operation]);
    this.schedule();
  }

  receive(message) {
    const scroller = [...this.scrollers.values()].find(({ session }) => session.id === message.session);
    const { type, request } = message;
    // The host has room again.
    if (type === 'daemon') this.schedule();
    if (!scroller) return;
    const { session } = scroller;
    const willSend = this.timers[LULL] !== undefined && session.sent.length < UNANSWERED;
    if (type === 'opened' || type === 'stored') session.confirm(message.nextNumber, type === 'opened');
    else if (type === 'full') return session.takeBack(message.number);
    else if (type === 'ended' || type === 'closed' || type === 'invalid') session.restart(message.reason ?? type);
    else if (type === 'state') {
      scroller.toolbar = message.toolbar;
      this.onState(message, scroller);
    } else if (type === 'request') {
      scroller.obey(request);
      this.send([session.operation('respond', { request: request.request, done: true })]);
    }
    if (session.queue.length && !willSend) this.schedule();
  }
}
