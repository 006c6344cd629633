// Between the feeders of pages and the native host. Only this script knows the sites of sessions.
const { permissions, runtime, scripting, storage, tabs } = chrome;
const SCRIPTS = ['feeder.js', 'bar.js', 'content.js'];
const KEPT = 5000; // Sessions of a site that can be forgotten.

const feeders = new Map(); // Ports of pages: {site, name, tab, events, losses}.
const owners = new Map(); // Sessions: their ports.
const closing = new Set(); // Sessions that the daemon has yet to close.
const status = { connected: false, error: 'No page is being fed.', dropped: 0 };
let host = null;
let backoff = 250;
let forgotten = null;

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

function connectHost() {
  if (host || (!feeders.size && !forgotten)) return;
  host = runtime.connectNative('org.scrolld.feeder');
  host.onMessage.addListener(receive);
  host.onDisconnect.addListener(port => {
    const error = runtime.lastError ?? port.error;
    host = null;
    closing.clear();
    Object.assign(status, { connected: false, error: error?.message ?? 'The native host has ended.' });
    tellAll({ type: 'detach' });
    setTimeout(connectHost, backoff);
    backoff = Math.min(backoff * 2, 10000);
  });
  tellAll({ type: 'attach' });
}

function receive(message) {
  const { type, session } = message;
  backoff = 250;
  if (type === 'daemon') {
    Object.assign(status, { error: undefined }, message);
    if (message.connected) tellAll(message);
  } else if (type === 'refused') {
    status.error = message.error;
  } else if (type === 'forgotten') {
    forgotten?.(message);
    forgotten = null;
  }
  owners.get(session)?.postMessage(message);
  if (type !== 'ended' && type !== 'closed') return;
  owners.delete(session);
  closing.delete(session);
  release();
}

// The host ends when no page needs it.
function release() {
  if (feeders.size || closing.size || forgotten || !host) return;
  host.disconnect();
  host = null;
  Object.assign(status, { connected: false, error: 'No page is being fed.' });
}

runtime.onConnect.addListener(async port => {
  const { sender: { tab, frameId, origin, url } } = port;
  const site = isOwnPage(port.sender) ? 'example' : siteOf(origin ?? url);
  const feeder = { site, name: `${tab.id}/${frameId}`, tab: tab.id, events: 0, losses: {} };
  let ready = settings.then(() => {});
  port.onMessage.addListener(message => { ready = ready.then(() => forward(port, feeder, message)); });
  port.onDisconnect.addListener(() => {
    void runtime.lastError; // The page may be in the browser's cache.
    // Its last messages come first.
    ready.then(() => {
      feeders.delete(port);
      for (const [session, owner] of owners) if (owner === port) owners.delete(session);
      setTimeout(release, 2000);
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
async function forward(port, feeder, { operations, title, losses }) {
  if (!feeders.has(port)) return;
  const { prefix } = await settings;
  if (losses) feeder.losses = losses;
  const passed = [];
  for (const operation of operations) {
    const { op, session, scroller, time, events } = operation;
    if (op === 'open' && (owners.get(session) ?? port) === port) {
      owners.set(session, port);
      remember(feeder.site, session);
      passed.push({ op, session, client: `${prefix}/${feeder.name}/${scroller}`, application: browser, title, time });
    } else if (owners.get(session) === port && ['append', 'close', 'respond'].includes(op)) {
      if (op === 'close') closing.add(session);
      passed.push(operation);
      feeder.events += events?.length ?? 0;
    }
  }
  if (passed.length) host?.postMessage({ operations: passed });
}

// The sessions of each site, which stay in the browser.
let saving = Promise.resolve();
const remember = (site, session) => {
  saving = saving.then(async () => {
    const { sessions } = await storage.local.get({ sessions: {} });
    if (sessions[site]?.includes(session)) return;
    sessions[site] = [...sessions[site] ?? [], session].slice(-KEPT);
    await storage.local.set({ sessions });
  });
};

async function forget(site) {
  await saving;
  const { sessions } = await storage.local.get({ sessions: {} });
  const ids = sessions[site];
  if (!ids) return { sessions: 0, records: 0 };
  const result = new Promise(resolve => { forgotten = resolve; });
  connectHost();
  host.postMessage({ operations: [{ op: 'forget', sessions: ids }] });
  const answer = await result;
  if (!answer.error) {
    delete sessions[site];
    await storage.local.set({ sessions });
  }
  setTimeout(release, 2000);
  return answer;
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
    const site = siteOf(url);
    const own = [...feeders.values()].filter(feeder => feeder.tab === tab);
    const sum = count => own.reduce((total, feeder) => total + count(feeder), 0);
    return {
      ...status, site, isOn: Boolean((await settings).sites[site]), sent: sum(({ events }) => events),
      dropped: status.dropped + sum(({ losses }) => losses.dropped ?? 0), leftOut: sum(({ losses }) => losses.leftOut ?? 0),
    };
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
