// A bar of the extension's own in the page, which hides and shows as the daemon says.
class PageBar {
  constructor(feeder) {
    this.host = document.createElement('div');
    const bar = this.host.attachShadow({ mode: 'closed' });
    bar.innerHTML = `<style>
      div { position: fixed; inset: 0 0 auto; z-index: 2147483647; display: flex; gap: 1em; padding: .5em 1em;
        font: 14px system-ui; color: CanvasText; background: Canvas; border-bottom: 1px solid GrayText;
        color-scheme: light dark; transition: translate .2s; will-change: translate }
      div.hidden { translate: 0 -110% }
      @media (prefers-reduced-motion) { div { transition: none !important } }
    </style><div role="toolbar" aria-label="scrolld"><span>scrolld</span><button hidden>Top</button></div>`;
    this.element = bar.querySelector('div');
    this.button = bar.querySelector('button');
    this.button.onclick = () => scrollTo({ top: 0 });
    // A bar that has the focus must stay.
    this.element.onfocusin = () => feeder.document?.pin(true);
    this.element.onfocusout = () => feeder.document?.pin(false);
    document.documentElement.append(this.host);
  }

  show({ toolbar, topButton }) {
    this.element.className = toolbar;
    this.element.inert = toolbar === 'hidden';
    this.button.hidden = !topButton;
  }

  remove() { this.host.remove(); }
}
