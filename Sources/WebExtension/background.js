// Between the feeders of pages and the native host. Only this script knows the sites of sessions.
const { permissions, runtime, scripting, storage, tabs } = chrome;
const SCRIPTS = ['feeder.js', 'bar.js', 'content.js'];
const KEPT = 5000; // Sessions of a site that can be forgotten.
const ROOM = 400000; // Events of pages that were closed: 50 pages, a minute, 60 frames a second, two events a frame.
const DRAIN = 2000; // So long, in milliseconds, an earlier host may still deliver.

const feeders = new Map(); // Ports of pages: {site, name, tab, events, leftOut}.
// By id: {port, site, opening, pending, number, next, close}. `pending` are the batches that the daemon has yet to confirm, `number`
// comes after the last event. A closed session has no port, but `close`, and this script sends its batches again, from the event
// `next`; 0 if the host doesn't know the session.
const sessions = new Map();
const blocked = new Set(); // Ids of sessions for which the host had no room, or that were closed while the daemon was away.
const status = { connected: false, error: 'No page is being fed.' };
let host = null;
let backoff = 250;
let forgotten = null;
let pumping;

const siteOf = url => /^https?:\/\/[^/:[]+/.exec(url)?.[0];
const isOwnPage = sender => sender.url?.startsWith(runtime.getURL(''));
const browser = navigator.userAgent.match(/(Firefox|Chrom)\w*\/\d+/)?.[0].replace(/Chrom\w*/, 'Chromium').replace('/', ' ');

const settings = storage.local.get({ sites: {}, title: false, bar: true, prefix: 'web' });
async function change(values) {
  Object.assign(await settings, values);
  await storage.local.set(values);
  for (const port of feeders.keys()) tellSettings(port);
}

const tellAll = message => { for (const port of feeders.keys()) port.postMessage(message); };
const tellHost = operation => host.postMessage({ operations: [operation] });
const count = batches => batches.reduce((sum, { events }) => sum + events.length, 0);
const closed = () => [...sessions.values()].filter(({ close }) => close);

// Changes what is stored: one change after the other.
let saving = Promise.resolve();
function save(make) {
  saving = saving.then(async () => storage.local.set(make(await storage.local.get({ sessions: {}, closing: {}, lost: 0 }))));
  return saving;
}
const lose = events => { if (events > 0) save(({ lost }) => ({ lost: lost + events })); };

function connectHost() {
  if (host || (!feeders.size && !forgotten && !closed().length)) return;
  host = runtime.connectNative('org.scrolld.feeder');
  host.onMessage.addListener(receive);
  host.onDisconnect.addListener(port => {
    const error = runtime.lastError ?? port.error;
    host = null;
    for (const [id, session] of sessions) if (session.close) block(id, session);
    Object.assign(status, { connected: false, error: error?.message ?? 'The native host has ended.' });
    answerForget(status);
    tellAll({ type: 'detach' });
    setTimeout(connectHost, backoff);
    backoff = Math.min(backoff * 2, 10000);
  });
  tellAll({ type: 'attach' });
}

function answerForget(answer) {
  forgotten?.(answer);
  forgotten = null;
}

function receive(message) {
  const { type, session: id, nextNumber } = message;
  const session = sessions.get(id);
  backoff = 250;
  session?.port?.postMessage(message);
  if (type === 'daemon') {
    Object.assign(status, { error: undefined }, message);
    if (message.connected) tellAll(message);
    else answerForget(status);
  } else if (type === 'refused') {
    status.error = message.error;
  } else if (type === 'invalid') {
    status.refusal = message.error;
  } else if (type === 'forgotten') {
    answerForget(message);
  } else if (type === 'full' && session) {
    session.next = Math.min(session.next ?? Infinity, message.number);
    blocked.add(id);
  } else if (nextNumber && session) {
    session.pending = session.pending.filter(({ number, events }) => number + events.length > nextNumber);
    // An earlier worker had the rest.
    if (type === 'opened' && session.close && !session.pending.length) {
      lose(session.number - nextNumber);
      session.number = nextNumber;
    }
  } else if (session && (type === 'ended' || (type === 'closed' && !session.close))) {
    if (message.reason?.startsWith('invalid')) status.refusal = message.reason;
    // An earlier worker's host may have delivered everything.
    if (session.close && message.reason !== 'forgotten' && !session.isKept) lose(count(session.pending));
    discard(id);
    release();
  }
  if (['daemon', 'stored', 'ended'].includes(type)) pump();
}

function discard(id) {
  if (sessions.get(id)?.close) {
    save(({ closing: { [id]: _, ...closing } }) => ({ closing }));
    storage.session.remove(id);
  }
  sessions.delete(id);
  blocked.delete(id);
}

function block(id, session) {
  session.next = 0;
  blocked.add(id);
}

// Sends a batch of a session that waits, or has its page do it. Each confirmation makes room for another one.
function pump() {
  clearTimeout(pumping);
  if (!status.connected || !blocked.size) return;
  pumping = setTimeout(pump, 1000);
  for (const id of blocked) {
    const session = sessions.get(id);
    if (!session.close) {
      blocked.delete(id);
      session.port.postMessage({ type: 'daemon' });
      continue;
    }
    if (!session.next) tellHost(session.opening);
    session.next ||= 1;
    const batch = session.pending.find(({ number }) => number >= session.next);
    if (batch) {
      session.next = batch.number + batch.events.length;
      return tellHost(batch);
    }
    if (session.pending.length) continue;
    blocked.delete(id);
    tellHost(session.close);
    // Now the tab's next page can begin.
    for (const other of sessions.values()) {
      if (other.isHeld && other.opening.client === session.opening.client) other.port?.postMessage({ type: 'attach' });
    }
  }
}

// The host ends when no page needs it.
function release() {
  if (feeders.size || closed().length || forgotten || !host) return;
  host.disconnect();
  host = null;
  Object.assign(status, { connected: false, error: 'No page is being fed.' });
}

// What an earlier worker had of closed pages. After the browser's end, or beyond the 10 MB that it keeps, the events are lost and
// counted, but the sessions are closed.
Promise.all([storage.local.get({ closing: {} }), storage.session.get()]).then(([{ closing }, kept]) => {
  setTimeout(() => {
    for (const [id, session] of Object.entries(closing)) {
      if (sessions.has(id)) continue;
      sessions.set(id, { pending: [], ...session, ...kept[id], isKept: true });
      block(id, sessions.get(id));
    }
    connectHost();
    pump();
  }, DRAIN);
});

runtime.onConnect.addListener(async port => {
  const { sender: { tab, frameId, origin, url } } = port;
  const site = isOwnPage(port.sender) ? 'example' : siteOf(origin ?? url);
  const feeder = { site, name: `${tab.id}/${frameId}`, tab: tab.id, events: 0, leftOut: 0 };
  let ready = settings.then(() => {});
  port.onMessage.addListener(message => { ready = ready.then(() => forward(port, feeder, message)); });
  port.onDisconnect.addListener(() => {
    void runtime.lastError; // The page may be in the browser's cache.
    // Its last messages come first.
    ready.then(() => {
      feeders.delete(port);
      // A page that crashed closes nothing.
      for (const [id, session] of sessions) if (session.port === port) leave(id, session, { op: 'close', session: id }, true);
      connectHost();
      pump();
      setTimeout(release, DRAIN);
    });
  });
  if (tab.incognito || (site !== 'example' && !(await settings).sites[site])) return port.disconnect();
  feeders.set(port, feeder);
  await tellSettings(port);
  if (host) port.postMessage({ type: 'attach' });
  else connectHost();
});

async function tellSettings(port) {
  const { sites, bar, title } = await settings;
  const { site } = feeders.get(port);
  const isExample = site === 'example';
  port.postMessage(isExample || sites[site] ? { type: 'settings', bar: bar && !isExample, title } : { type: 'stop' });
}

// Passes a page's operations on, with names that only the extension gives.
async function forward(port, feeder, { operations, losses }) {
  if (!feeders.has(port)) return;
  const { prefix } = await settings;
  lose(losses?.dropped);
  feeder.leftOut = losses?.leftOut ?? feeder.leftOut;
  const passed = [];
  for (const operation of operations) {
    const { op, session: id, scroller, number, time, title, events } = operation;
    let session = sessions.get(id);
    if (op === 'open' && (session?.port ?? port) === port && !session?.close) {
      if (!session) sessions.set(id, session = { port, site: feeder.site, pending: [], number: 1 });
      session.opening = { op, session: id, client: `${prefix}/${feeder.name}/${scroller}`, application: browser, title, time };
      remember(feeder.site, id);
    } else if (session?.port !== port) {
      if (session?.close) port.postMessage({ type: 'ended', session: id, reason: 'closed' });
      continue;
    } else if (op === 'append') {
      session.pending = [...session.pending.filter(batch => batch.number < number), operation];
      session.number = number + events.length;
      feeder.events += events.length;
    } else if (op === 'close') {
      leave(id, session, operation);
    } else if (op !== 'respond') {
      continue;
    }
    session.isHeld = [...blocked].some(other => other !== id && isEarlier(sessions.get(other), session));
    if (session.isHeld && session.close) block(id, session);
    else if (!session.isHeld && !(session.close && blocked.has(id))) passed.push(op === 'open' ? session.opening : operation);
  }
  if (passed.length) host?.postMessage({ operations: passed });
}

// A client's next session ends the one before it, which must be complete.
const isEarlier = (other, { opening }) => other.close && other.opening.client === opening.client;

// A page closes a session. What the daemon has yet to confirm exists here only.
function leave(id, session, close, isCrash) {
  Object.assign(session, { close, port: null });
  let excess = closed().reduce((sum, { pending }) => sum + count(pending), 0) - ROOM;
  while (excess > 0 && session.pending.length) {
    const { number, events } = session.pending.pop();
    session.number = number;
    excess -= events.length;
    lose(events.length);
  }
  const { opening: { title, ...opening }, site, number } = session;
  save(({ closing }) => ({ closing: { ...closing, [id]: { opening, site, number, close } } }));
  storage.session.set({ [id]: session }).catch(() => {}); // There may be no room.
  if (isCrash || !status.connected || blocked.has(id)) block(id, session);
}

// The sessions of each site, which stay in the browser.
const remember = (site, id) => save(({ sessions }) => {
  const ids = sessions[site] ?? [];
  return ids.includes(id) ? {} : { sessions: { ...sessions, [site]: [...ids, id].slice(-KEPT) } };
});

async function forget(site) {
  if (forgotten) return { error: 'another request is under way' };
  await saving;
  const ids = (await storage.local.get({ sessions: {} })).sessions[site];
  if (!ids) return { sessions: 0, records: 0 };
  const result = new Promise(resolve => { forgotten = resolve; });
  connectHost();
  for (let tries = 0; tries < 50 && !status.connected; tries += 1) await new Promise(done => setTimeout(done, 100));
  if (status.connected) {
    // What is on its way must not come later.
    for (const id of ids) if (sessions.get(id)?.close) discard(id);
    tellHost({ op: 'forget', sessions: ids });
  } else {
    answerForget(status);
  }
  const { error, sessions: forgottenSessions, records } = await result;
  if (!error) {
    await save(({ sessions }) => {
      const { [site]: known = [], ...others } = sessions;
      const rest = known.filter(id => !ids.includes(id));
      return { sessions: rest.length ? { ...others, [site]: rest } : others };
    });
  }
  setTimeout(release, DRAIN);
  return { error, sessions: forgottenSessions, records };
}

async function switchSite(site, isOn) {
  const { sites } = await settings;
  const origins = [`${site}/*`];
  await scripting.unregisterContentScripts({ ids: [site] }).catch(() => {}); // It may not be registered.
  if (isOn) sites[site] = true;
  else delete sites[site];
  await change({ sites });
  if (!isOn) return permissions.remove({ origins }).catch(() => {}); // The manifest's own ones stay.
  await scripting.registerContentScripts([{ id: site, matches: origins, js: SCRIPTS, allFrames: true, runAt: 'document_start' }]);
  for (const { id: tabId } of await tabs.query({ url: origins })) {
    const target = { tabId, allFrames: true };
    // A page of the browser's own, such as an error, takes no script.
    const [found] = await scripting.executeScript({ target, func: () => Boolean(globalThis.hasFeeder) }).catch(() => [{ result: true }]);
    if (!found.result) await scripting.executeScript({ target, files: SCRIPTS });
  }
}

// The user may withdraw a permission in the browser's own settings, also one for more than a site.
permissions.onRemoved.addListener(async () => {
  for (const site of Object.keys((await settings).sites)) {
    if (!await permissions.contains({ origins: [`${site}/*`] })) await switchSite(site, false);
  }
});

const commands = {
  async status({ tab, url }) {
    const site = isOwnPage({ url }) ? 'example' : siteOf(url);
    const own = [...feeders.values()].filter(feeder => feeder.tab === tab);
    const sum = name => own.reduce((total, feeder) => total + feeder[name], 0);
    await saving;
    const { lost } = await storage.local.get({ lost: 0 });
    return { ...status, site, isOn: Boolean((await settings).sites[site]), sent: sum('events'), dropped: lost, leftOut: sum('leftOut') };
  },
  switch: ({ site, isOn }) => switchSite(site, isOn),
  forget: ({ site }) => forget(site),
  change: ({ values }) => change(values),
  settings: () => settings,
};

runtime.onMessage.addListener((message, sender, reply) => {
  if (!isOwnPage(sender) || !Object.hasOwn(commands, message.command)) return false;
  commands[message.command](message).then(result => reply(result ?? {}), error => reply({ error: error.message }));
  return true;
});
