// The page's own bar: all that a page has to do.
document.addEventListener('scrolld', event => {
  const { toolbar, topButton, reason } = JSON.parse(event.detail);
  document.getElementById('bar').className = toolbar;
  document.getElementById('top').hidden = !topButton;
  document.getElementById('state').textContent = `The bar is ${toolbar}${reason ? `: ${reason}` : ''}.`;
});

for (let number = 1; number <= 80; number += 1) {
  const paragraph = document.querySelector('main').appendChild(document.createElement('p'));
  paragraph.textContent = `Paragraph ${number}. `.padEnd(400, 'Some text to read. ');
}
