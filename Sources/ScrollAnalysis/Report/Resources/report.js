
(() => {
  'use strict';
  const find = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const data = JSON.parse(find('#data').textContent);
  if (data.kind === 'session') showSession(); else showSessions();

  // One session: everything that the page shows of a moment is a function of the event's index.
  function showSession() {
    const sum = (list) => { let total = 0; return Float64Array.from(list, (step) => (total += step)); };
    // Numbers as in a source map: digits of five bits, the lowest ones first, and a sixth bit if more follow. The lowest bit of
    // a number is its sign.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const digits = new Map([...alphabet].map((letter, index) => [letter, index]));
    const decode = (text) => {
      const values = [];
      let value = 0, scale = 1;
      for (const letter of text) {
        const digit = digits.get(letter);
        value += (digit & 31) * scale;
        scale *= 32;
        if (digit & 32) continue;
        values.push(value % 2 === 1 ? -(value - 1) / 2 : value / 2);
        value = 0;
        scale = 1;
      }
      return values;
    };
    // Each number and how many times it follows.
    const repeat = (values) => {
      const list = [];
      for (let place = 0; place < values.length; place += 2) for (let n = values[place + 1]; n > 0; n--) list.push(values[place]);
      return list;
    };
    // Each change: its event, whether the toolbar is hidden, the trigger, and the reason's template with its numbers.
    const changes = (text) => {
      const values = decode(text), list = [];
      let event = 0, place = 0;
      while (place < values.length) {
        event += values[place];
        const decided = values[place + 1], template = values[place + 2] - 1;
        const end = place + 3 + (template < 0 ? 0 : data.reasons[template].split('#').length - 1);
        list.push([event, decided % 2, Math.floor(decided / 2) - 1, template, ...values.slice(place + 3, end)]);
        place = end;
      }
      return list;
    };
    const times = sum(decode(data.times)), numbers = sum(repeat(decode(data.numbers))), offsets = sum(decode(data.offsets));
    const kinds = repeat(decode(data.events)).map((kind) => data.kinds[kind]);
    const count = times.length;
    // For each event, the last entry of a list that is not after it.
    const lookUp = (entries) => {
      const place = new Int32Array(count).fill(-1);
      entries.forEach((entry, index) => { place[entry[0]] = index; });
      for (let event = 1; event < count; event++) if (place[event] < 0) place[event] = place[event - 1];
      return place;
    };
    const sizes = lookUp(data.sizes);
    const reason = ([, , , template, ...values]) => data.reasons[template].replace(/#/g, () => String(values.shift() / 1000));
    const policies = data.policies.map(({ name, changes: text }) => {
      const policy = { name, changes: changes(text) };
      // A change that has no reason keeps the one before.
      let last = '';
      const why = policy.changes.map((change) => (last = change[3] >= 0 ? reason(change) : last));
      return { ...policy, place: lookUp(policy.changes), why };
    });
    const changed = [...new Set(policies.flatMap((policy) => policy.changes.map((change) => change[0])))].sort((a, b) => a - b);

    const section = find('#moment'), slider = find('#seek'), viewport = find('#viewport');
    const cursors = all('.cursor'), screens = all('.screen'), prose = screens.map((screen) => find('.prose', screen));
    const toolbars = screens.map((screen) => find('.toolbar', screen)), whys = screens.map((screen) => find('.why', screen));
    const now = ['time', 'event', 'offset', 'screen'].map((name) => find('#now-' + name));
    const rows = new Map();
    for (const link of all('a[href^="#e"]')) {
      const event = Number(link.hash.slice(2));
      rows.set(event, [...(rows.get(event) || []), link.closest('tr')]);
    }
    let marked = [];

    const seconds = (time) => '+' + (time / 1e6).toFixed(3) + ' s';
    const share = (value) => (Math.round(value * 1000) / 10) + ' %';
    let shown = -1;

    function show(event) {
      shown = event;
      const time = seconds(times[event]), kind = kinds[event];
      const [, content, frame] = sizes[event] < 0 ? [0, 0, 0] : data.sizes[sizes[event]];
      const isKnown = event >= data.known, y = offsets[event] / 100;
      slider.value = event;
      slider.setAttribute('aria-valuetext', time + ', ' + data.numbered + ' ' + numbers[event] + ', ' + kind);
      const x = (times[event] / data.duration * 100).toFixed(3) + '%';
      for (const cursor of cursors) { cursor.setAttribute('x1', x); cursor.setAttribute('x2', x); }
      now[0].textContent = time;
      now[1].textContent = numbers[event] + ', ' + kind;
      now[2].textContent = isKnown ? String(Math.round(y * 10) / 10) + ' points' : 'unknown';
      const hasSizes = isKnown && content > 0 && frame > 0;
      const top = hasSizes ? Math.min(Math.max(y / content, 0), 1) : 0;
      const bottom = hasSizes ? Math.min(Math.max((y + frame) / content, 0), 1) : 0;
      now[3].textContent = hasSizes ? share(top) + ' to ' + share(bottom) : 'unknown';
      viewport.setAttribute('y', (top * 300).toFixed(1));
      viewport.setAttribute('height', Math.max(3, (bottom - top) * 300).toFixed(1));
      policies.forEach((policy, index) => {
        const [, hidden, trigger] = policy.changes[policy.place[event]];
        const why = policy.why[policy.place[event]];
        screens[index].classList.toggle('is-hidden', hidden === 1);
        toolbars[index].textContent = hidden === 1 ? 'hidden' : 'shown';
        whys[index].textContent = trigger < 0 ? 'nothing has decided yet' : data.triggers[trigger] + ': ' + why;
        prose[index].setAttribute('transform', 'translate(0 ' + (-(((y / 4) % 60) + 60) % 60).toFixed(1) + ')');
      });
      for (const row of marked) row.removeAttribute('class');
      marked = rows.get(event) || [];
      for (const row of marked) row.className = 'is-now';
    }

    // The last event at or before a time.
    function eventAt(time) {
      let low = 0, high = count - 1;
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (times[middle] <= time) low = middle; else high = middle - 1;
      }
      return low;
    }
    function fromAddress() {
      const event = /^#e(\d+)$/.exec(location.hash);
      return event && Number(event[1]) < count ? Number(event[1]) : -1;
    }
    if (count === 0) return;
    slider.addEventListener('input', () => show(Number(slider.value)));
    find('#back').addEventListener('click', () => show([...changed].reverse().find((event) => event < shown) ?? 0));
    find('#next').addEventListener('click', () => show(changed.find((event) => event > shown) ?? count - 1));
    for (const plot of all('.chart .plot')) {
      const seek = (event) => {
        const box = plot.getBoundingClientRect();
        show(eventAt((event.clientX - box.left) / box.width * data.duration));
      };
      plot.addEventListener('pointerdown', (event) => { if (event.button === 0) seek(event); });
      plot.addEventListener('pointermove', (event) => { if (event.buttons === 1 && event.pointerType === 'mouse') seek(event); });
    }
    addEventListener('hashchange', () => {
      if (fromAddress() < 0) return;
      show(fromAddress());
      section.scrollIntoView({ block: 'nearest' });
      slider.focus({ preventScroll: true });
    });
    section.hidden = false;
    show(Math.max(0, fromAddress()));
  }

  // Many sessions: the table sorts by a click on a heading, and a session's name opens its picture.
  function showSessions() {
    const table = find('#list');
    if (!table) return;
    const body = table.tBodies[0], headings = all('thead th', table), first = [...body.rows];
    const columns = headings.length - 1;
    headings.slice(0, columns).forEach((heading, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = heading.textContent;
      heading.replaceChildren(button);
      button.addEventListener('click', () => sort(column, heading));
    });
    for (const row of first) {
      const cell = row.cells[0], button = document.createElement('button');
      button.type = 'button';
      button.setAttribute('aria-expanded', 'false');
      button.append(...cell.childNodes);
      cell.replaceChildren(button);
      button.addEventListener('click', () => toggle(row, button));
    }

    function value(row, column) {
      const cell = row.cells[column];
      if (column === 0) return cell.textContent;
      const text = cell.dataset.v;
      return text === undefined ? null : Number.isNaN(Number(text)) ? text : Number(text);
    }
    function sort(column, heading) {
      const isDescending = heading.getAttribute('aria-sort') === 'ascending';
      for (const other of headings) other.removeAttribute('aria-sort');
      heading.setAttribute('aria-sort', isDescending ? 'descending' : 'ascending');
      const entries = first.map((row, index) => ({ row, index, value: value(row, column) }));
      // Sessions without a value come last in either direction.
      entries.sort((a, b) => {
        if (a.value === null || b.value === null) return (a.value === null) - (b.value === null) || a.index - b.index;
        const order = a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
        return (isDescending ? -order : order) || a.index - b.index;
      });
      body.append(...entries.flatMap(({ row }) => row.picture ? [row, row.picture] : [row]));
    }
    function toggle(row, button) {
      const isOpen = row.picture != null;
      button.setAttribute('aria-expanded', String(!isOpen));
      if (isOpen) {
        row.picture.remove();
        row.picture = null;
        return;
      }
      row.picture = document.createElement('tr');
      row.picture.className = 'open';
      const cell = row.picture.insertCell();
      cell.colSpan = headings.length;
      cell.append(find('svg', row).cloneNode(true));
      row.after(row.picture);
    }
  }
})();
