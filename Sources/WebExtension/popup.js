let site = null;

// About the tab in front, or as a page of its own about another one: popup.html?tab=5.
const tabID = Number(new URLSearchParams(location.search).get('tab'));
const findTab = tabID ? chrome.tabs.get(tabID) : chrome.tabs.query({ active: true, currentWindow: true }).then(([tab]) => tab);

async function update() {
  const tab = await findTab;
  const status = await command('status', { tab: tab.id, url: tab.url ?? 'about:blank' });
  site = status.site;
  at('site').textContent = site ?? 'This page';
  at('forget').disabled = !site;
  at('on').disabled = !site || site === 'example';
  at('on').checked = status.isOn;
  at('daemon').textContent = status.error ?? `connected to ${status.address}${status.refusal ? `; refused: ${status.refusal}` : ''}`;
  at('sent').textContent = `${status.sent} events`;
  at('dropped').textContent = `${status.dropped} events` + (status.leftOut ? `, and ${status.leftOut} further scroll views` : '');
}

at('on').onchange = async ({ target }) => {
  const isOn = target.checked && await chrome.permissions.request({ origins: [`${site}/*`] });
  await command('switch', { site, isOn });
  await update();
};

at('forget').onclick = async () => {
  at('forgotten').textContent = '…';
  const { sessions, records, error } = await command('forget', { site }).catch(({ message }) => ({ error: message }));
  at('forgotten').textContent = error ? `not forgotten: ${error}` : `${sessions} sessions, ${records} records`;
};

update();
setInterval(update, 1000);
