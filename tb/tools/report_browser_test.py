# SPDX-License-Identifier: Apache-2.0
"""report_browser_test.py PROGRAM: Chromium opens pages of gmmu report. Its console must stay empty, and every figure
must show its data."""
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import report_cases

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
BROWSER = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
# A script that collects for each figure: its title and description, the number of points that it
# should show, and the number of points that it does show: those of the series that are visible on
# the screen and have enough path vertices or marks.
LOOK = """<script>
window.addEventListener("load", () => {
  const figures = [...document.querySelectorAll("svg")].map(svg => {
    const series = [...svg.querySelectorAll('g[id*="-series-"]')];
    const drawn = series.filter(each => {
      const box = each.getBoundingClientRect(), points = Number(each.id.split("-").pop());
      const corners = [...each.querySelectorAll("path")].map(path => (path.getAttribute("d").match(/[ML]/g) || []).length);
      return box.width + box.height > 0 && Math.max(0, ...corners, each.querySelectorAll("use").length) >= points;
    });
    return {name: svg.dataset.figure, title: svg.querySelector("title").textContent, desc: svg.querySelector("desc").textContent,
            points: Number(svg.dataset.points), drawn: drawn.reduce((sum, each) => sum + Number(each.id.split("-").pop()), 0),
            width: svg.getBoundingClientRect().width};
  });
  const out = document.createElement("pre");
  out.id = "looked";
  out.textContent = JSON.stringify(figures);
  document.body.append(out);
});
</script></body>"""


def opened(path, text):
    """Returns (figures, lines on the console) of a page with this text."""
    path.write_text(text.replace("default-src 'none'", "default-src 'none'; script-src 'unsafe-inline'").replace("</body>", LOOK))
    done = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr", "--no-first-run",
                           f"--user-data-dir={path.parent}/profile", "--virtual-time-budget=10000", "--dump-dom", path.as_uri()],
                          capture_output=True, text=True, timeout=120)
    looked = re.search(r'<pre id="looked">(.*?)</pre>', done.stdout, re.S)
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return json.loads(html.unescape(looked[1])) if looked else None, console


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="gmmu_browser_", ignore_cleanup_errors=True)
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.pages = report_cases.pages(PROGRAM, cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_every_page_opens_without_a_word_on_the_console_and_every_figure_has_its_data(self):
        number = 0
        for name, path in self.pages.items():
            figures, console = opened(self.folder / "opened.html", path.read_text())
            self.assertEqual(console, [], name)
            self.assertTrue(figures, name)
            for figure in figures:
                number += 1
                self.assertTrue(figure["title"] and figure["desc"], figure)
                self.assertGreater(figure["width"], 200, figure)
                self.assertGreater(figure["points"], 0, figure)
                self.assertEqual(figure["drawn"], figure["points"], figure)
        self.assertGreater(number, 9)

    def test_what_is_wrong_with_a_page_is_noticed(self):
        text = self.pages["reach"].read_text()
        self.assertTrue(opened(self.folder / "opened.html", text.replace("<h1>", '<img src="http://127.0.0.1:9/x.png"><h1>'))[1])
        self.assertTrue(opened(self.folder / "opened.html", text.replace("<h1>", "<script>nothing.here()</script><h1>"))[1])
        series = re.search(r'<g id="reach-series-0-3">.*?</g>\s*</g>', text, re.S)[0]
        figures, _ = opened(self.folder / "opened.html", text.replace(series, re.sub(r"<use[^>]*>", "", re.sub(r' d="[^"]*"', ' d=""', series))))
        reach = next(figure for figure in figures if figure["name"] == "reach")
        self.assertLess(reach["drawn"], reach["points"])


if __name__ == "__main__":
    if BROWSER is None:
        print("report_browser_test: there is no Chromium; Debian's package is chromium")
        sys.exit(2)
    unittest.main()
