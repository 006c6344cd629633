async function update() {
  const { bar, title, prefix, sites } = await command('settings');
  at('bar').checked = bar;
  at('title').checked = title;
  at('prefix').value = prefix;
  at('none').hidden = Object.keys(sites).length > 0;
  at('sites').replaceChildren(...Object.keys(sites).map(site => {
    const item = document.createElement('li');
    const button = document.createElement('button');
    button.textContent = 'Switch off';
    button.ariaLabel = `Switch ${site} off`;
    button.onclick = async () => {
      await command('switch', { site, isOn: false });
      await update();
      (at('sites').querySelector('button') ?? at('bar')).focus();
    };
    item.append(`${site} `, button);
    return item;
  }));
}

for (const id of ['bar', 'title']) at(id).onchange = ({ target }) => command('change', { values: { [id]: target.checked } });
at('prefix').onchange = ({ target }) => {
  if (target.reportValidity()) command('change', { values: { prefix: target.value } });
};
update();
