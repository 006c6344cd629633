"""A web server with the pages that the tests scroll."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HEAD = '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A secret title</title>'
TEXT = "Some text to read, which goes on for a while. " * 6


def paragraphs(count: int, height: int = 160, name: str = "p") -> str:
    return "".join(f'<p id="{name}{number}" style="height:{height}px;margin:0;overflow:hidden">{number} {TEXT}</p>' for number in range(count))


ARTICLE = HEAD + '<body style="margin:0"><a id="link" href="#p30" style="display:block;height:40px">to 30</a>' + paragraphs(60)

PAGES = {
    "/article": ARTICLE,
    "/flowing": HEAD + "<body>" + "".join(f"<p>{number} {TEXT}{TEXT}</p>" for number in range(50)),
    "/other": HEAD + "<body style=margin:0>" + paragraphs(50),
    "/short": HEAD + "<body style=margin:0>" + paragraphs(2),
    # Items are put before the first one when the reader comes near to it.
    "/prepending": HEAD + "<body style=margin:0><div id=list>" + paragraphs(60) + """</div><script>
      window.prepend = (count, height = 100) => { for (let i = 0; i < count; i++) {
        const item = document.createElement('p'); item.style.cssText = `height:${height}px;margin:0;overflow:hidden`;
        item.textContent = 'new ' + i; document.getElementById('list').prepend(item) } }
    </script>""",
    # Items are appended when the reader comes near to the end.
    "/endless": HEAD + "<body style=margin:0><div id=list>" + paragraphs(20) + """</div><script>
      let number = 100; addEventListener('scroll', () => { if (scrollY + innerHeight > document.documentElement.scrollHeight - 600 && number < 180)
        for (let i = 0; i < 10; i++) { const item = document.createElement('p'); item.style.cssText = 'height:160px;margin:0';
          item.textContent = number++; document.getElementById('list').append(item) } })
    </script>""",
    # A header in the flow that collapses while its content is read.
    "/collapsing": HEAD + """<body style=margin:0><header id=header style="position:sticky;top:0;height:200px;background:silver">head</header>"""
                   + paragraphs(60) + """<script>
      window.collapse = small => { document.getElementById('header').style.height = small ? '60px' : '200px' }
    </script>""",
    "/frames": HEAD + '<body style="margin:0">' + paragraphs(4) + '<iframe id=frame src="/other" style="width:100%;height:400px;border:0"></iframe>'
               + paragraphs(40, name="q"),
    "/inner": HEAD + '<body style="margin:0">' + '<div id=box style="height:400px;overflow:auto">' + paragraphs(30) + "</div>"
              + paragraphs(40, name="q"),
    "/loop": HEAD + "<body style=margin:0>" + paragraphs(60) + """<script>
      let down = 1; const next = () => { if (window.isStopped) return; if (scrollY > 5000 || scrollY <= 0) down = scrollY <= 0 ? 1 : -1;
        scrollBy(0, down * 12); requestAnimationFrame(next) }; window.go = () => next()
    </script>""",
    "/nested": HEAD + "<body style=margin:0><script>\n" + """
      let outer = document.body;
      for (let i = 0; i < 200; i++) { const box = document.createElement('div');
        box.style.cssText = 'height:300px;overflow:auto;border:1px solid'; box.className = 'box';
        const filler = document.createElement('div'); filler.style.height = '400px'; box.append(filler);
        outer.append(box); if (i % 10) outer = box; else outer = document.body }
      window.step = 0;
      window.shake = () => { window.step++; for (const box of document.querySelectorAll('.box')) box.scrollTop = 20 + (window.step * 7) % 150 }
    </script>""",
    # Names that shadow the document's, events and messages that pretend, and scrollers with odd names.
    "/hostile": HEAD + """<body style=margin:0><img name=scrollingElement><img name=documentElement><form name=body id="../../x"
      style="height:200px;overflow:auto"><input name=scrollTop><input name=scrollHeight><input name=clientHeight>""" + paragraphs(9, name="f") + """</form>"""
                + paragraphs(50) + """<script>
      window.attack = () => {
        for (let i = 0; i < 50; i++) {
          document.dispatchEvent(new Event('scroll')); document.dispatchEvent(new Event('scrollend'));
          dispatchEvent(new WheelEvent('wheel', { deltaY: 500 })); dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }));
          dispatchEvent(new Event('pagehide')); dispatchEvent(new CustomEvent('scrolld', { detail: '{' }));
          postMessage({ operations: [{ op: 'open', session: '../../x', client: '../../x' }] }, '*');
          postMessage({ type: 'stop' }, '*');
          try { chrome.runtime.sendMessage('""" + "EXTENSION" + """', { command: 'forget', site: location.origin }) } catch {}
          try { chrome.runtime.connect('""" + "EXTENSION" + """', { name: 'feeder' }) } catch {}
        }
      }
    </script>""",
}


class Server:
    """Serves the pages on this machine under two names, which are two sites."""

    def __init__(self, **replacements: str):
        pages = {path: text for path, text in PAGES.items()}
        for name, value in replacements.items():
            pages = {path: text.replace(name, value) for path, text in pages.items()}

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                text = pages.get(self.path.split("?")[0])
                body = (text or "").encode()
                self.send_response(200 if text else 204)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def address(self, path: str, host: str = "localhost") -> str:
        return f"http://{host}:{self.port}{path}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
