# SPDX-License-Identifier: Apache-2.0
"""report_test.py PROGRAM: tests gmmu report with reports of the program's fast engine."""
import json
import pathlib
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import report_cases
from report_cases import report, run, study

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
SVG = "{http://www.w3.org/2000/svg}"
FIGURES = {"phases", "reach", "misses-l2-entries", "misses-iotlb-entries", "latency", "causes", "occupancy", "transfer", "remapping", "sweep", "area", "area-0"}


def figures(page):
    """Returns {name: parsed <svg>} of a page."""
    found = [xml.etree.ElementTree.fromstring(text) for text in re.findall(r"<svg.*?</svg>", page.read_text(), re.S)]
    return {svg.get("data-figure"): svg for svg in found}


class ReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gmmu_report_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def refused(self, *files, out=None):
        """Returns the error message, and checks that nothing was written."""
        before = {path.name for path in self.folder.iterdir()}
        status, said = report(*files, *(["--out", out] if out else []))
        self.assertEqual(status, 2, said)
        self.assertEqual(before, {path.name for path in self.folder.iterdir()})
        self.assertRegex(said, "^gmmu report: ")
        return said


class Pages(ReportTest):
    def test_every_figure_has_words_and_its_data_and_pages_stand_alone(self):
        seen = {}
        for path in report_cases.pages(PROGRAM, self.folder).values():
            text = path.read_text()
            self.assertNotRegex(text, r"<script|<img|<link[^>]*http|src=", path)
            ids = re.findall(r'\bid="([^"]+)"', text)
            self.assertEqual(len(ids), len(set(ids)), path)
            self.assertLessEqual(set(re.findall(r'(?:href="#|url\(#)([^")]+)', text)), set(ids), path)
            for name, svg in figures(path).items():
                seen.setdefault(re.sub(r"-\d$", "", name) if not name.startswith("area") else name, svg)
                self.assertTrue(svg.find(f"{SVG}title").text and svg.find(f"{SVG}desc").text, name)
                points = [int(each.get("id").rsplit("-", 1)[1]) for each in svg.iter(f"{SVG}g") if "-series-" in each.get("id", "")]
                self.assertEqual(sum(points), int(svg.get("data-points")), name)
                self.assertGreater(sum(points), 0, name)
        self.assertLessEqual(FIGURES, set(seen))
        self.assertEqual(int(seen["reach"].get("data-points")), 6)      # three footprints, two sizes
        self.assertEqual(int(seen["phases"].get("data-points")), 6)     # six phases of the main job

    def test_a_page_says_why_a_figure_is_missing_and_lists_counters_with_unit_and_description(self):
        page = self.folder / "page.html"
        status, said = report(run(PROGRAM, self.folder / "run.json", "run"), "--out", page)
        self.assertEqual(status, 0, said)
        text = page.read_text()
        for reason in ("no report is of gmmu replay", "no report has epochs", "no table of make synth"):
            self.assertIn(reason, text)
        self.assertEqual(text.count('class="missing"'), 1)  # one line for all missing figures
        drawn = re.findall("<h2>(.*?)</h2>", text)
        self.assertEqual(drawn, ["Runs", "Phases", "Counters"])
        value = json.loads((self.folder / "run.json").read_text())["counters"]["gpu_l2"]["l2_lookups"]
        self.assertRegex(text, rf'<td>gpu_l2</td><td>l2_lookups</td><td class="n">{value:,}</td><td>\S+</td><td>\S+')
        self.assertIn('<td class="n">not counted</td>', text)

    def test_a_table_of_runs_has_each_column_once_and_names_traces(self):
        trace = self.folder / "small.gtrace"
        subprocess.run([PROGRAM, "trace", "generate", "gen:random,footprint=1MiB,count=500", trace], check=True, capture_output=True)
        files = [run(PROGRAM, self.folder / f"{at}.json", "replay", workload, *more) for at, (workload, more) in
                 enumerate(((trace, ()), ("gen:random,footprint=2MiB,count=500", ()), ("gen:random,footprint=4MiB,count=500", ()), (trace, ("--warps", "2"))))]
        other = json.loads(files[0].read_text())
        other["machine"]["engine"] = "rtl"
        (self.folder / "rtl.json").write_text(json.dumps(other))
        page = self.folder / "page.html"
        status, said = report(*files, self.folder / "rtl.json", "--out", page)
        self.assertEqual(status, 0, said)
        table = re.search(r'<table data-table="runs">.*?</table>', page.read_text(), re.S)[0]
        heads = re.findall("<th>(.*?)</th>", table)
        self.assertEqual(len(heads), len(set(heads)), heads)
        column = heads.index("trace")
        rows = [re.findall("<td.*?>(.*?)</td>", row) for row in re.findall("<tr><td.*?</tr>", table)]
        self.assertEqual([row[column] for row in rows], ["small.gtrace", "", "", "small.gtrace", "small.gtrace"])
        self.assertIn("2 MiB", rows[1])
        self.assertIn("4 MiB", rows[2])
        self.assertIn("trace small.gtrace", "".join(figures(page)["latency"].itertext()))

    def test_runs_that_differ_in_a_policy_are_compared_by_bars_with_its_name(self):
        first = run(PROGRAM, self.folder / "a.json", "replay", "gen:random,footprint=1MiB,count=500")
        value = json.loads(first.read_text())
        for depth in (2, 4):
            value["configuration"]["policy"].update(file="folder/prefetch_two.so", arguments=f"depth={depth}")
            (self.folder / f"depth{depth}.json").write_text(json.dumps(value))
        page = self.folder / "page.html"
        status, said = report(first, self.folder / "depth2.json", self.folder / "depth4.json", "--out", page)
        self.assertEqual(status, 0, said)
        drawn = figures(page)
        self.assertEqual(int(drawn["comparison"].get("data-points")), 9)  # three runs, three figures
        for name in ("comparison", "latency"):
            words = [text.strip() for text in drawn[name].itertext()]
            self.assertIn("policy prefetch_two, depth=2", words, name)
            self.assertIn("a", words, name)  # the run without a policy has its own label
            self.assertNotIn("policy.file", " ".join(words))

    def test_the_same_reports_make_the_same_page_and_images(self):
        one = run(PROGRAM, self.folder / "run.json", "run")
        for name in ("a", "b"):
            self.assertEqual(report(one, "--out", self.folder / f"{name}.html", "--images", self.folder / name)[0], 0)
        self.assertEqual((self.folder / "a.html").read_bytes(), (self.folder / "b.html").read_bytes())
        for name in ("phases.svg", "phases.png"):
            self.assertEqual((self.folder / "a" / name).read_bytes(), (self.folder / "b" / name).read_bytes())
        png = (self.folder / "a/phases.png").read_bytes()
        self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreater(min(struct.unpack(">II", png[16:24])), 300)
        self.assertEqual(xml.etree.ElementTree.parse(self.folder / "a/phases.svg").getroot().get("data-points"), "6")


class BadInput(ReportTest):
    def test_files_that_are_no_reports(self):
        bad = self.folder / "bad"
        for content, says in (("", "is no JSON"), ("{", "is no JSON"), ("[1]", "is JSON, but no report"), ('{"machine": {}}', "no report")):
            bad.write_text(content)
            self.assertIn(says, self.refused(bad, out=self.folder / "page.html"))
        self.assertIn("No such file", self.refused(self.folder / "nowhere.json"))

    def test_a_report_of_another_version_or_without_a_member(self):
        path = run(PROGRAM, self.folder / "run.json", "run", "--scenario", "context-allocations")
        whole = json.loads(path.read_text())
        path.write_text(json.dumps({**whole, "schema_version": 2}))
        self.assertIn("schema_version is 2, and this program reads 1", self.refused(path))
        path.write_text(json.dumps({name: value for name, value in whole.items() if name != "phases"}))
        self.assertIn("phases", self.refused(path))
        path.write_text(json.dumps({**whole, "replay": {"schema": 9}}))
        self.assertIn("replay has another schema than 1", self.refused(path))

    def test_studies_without_a_result_and_other_databases(self):
        db = study(PROGRAM, self.folder, "s", 'engine = "fast"\nscenario = "context-allocations"\n')
        with sqlite3.connect(db) as connection:
            connection.execute("UPDATE point SET status = 'error', report = NULL")
        connection.close()
        self.assertIn("no point of this study has passed", self.refused(db))
        other = self.folder / "other.db"
        with sqlite3.connect(other) as connection:
            connection.execute("CREATE TABLE a(b)")
        connection.close()
        self.assertIn("no study's file of results", self.refused(other))

    def test_images_that_no_figure_makes(self):
        path = run(PROGRAM, self.folder / "run.json", "run", "--scenario", "context-allocations")
        status, said = report(path, "--images", self.folder / "images", "--only", "reach")
        self.assertEqual(status, 2)
        self.assertIn("no report is of gmmu replay", said)


class Curves(unittest.TestCase):
    def test_a_label_looks_the_same_in_all_panels_and_the_legend_has_each(self):
        sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/report"))
        import study_figures
        workloads = [("random", None), ("stride", 64), ("stride", 128)]  # only one of the generators has a stride
        found = {(*workload, walks): [(1, walks), (2, 2 * walks)] for workload in workloads for walks in range(1, 7) if (workload[1], walks) != (None, 1)}
        drawing = study_figures.curves("name", "title", "text", ["generator", "stride", "gpu.walks"], found, "x", "y")
        cells = [axes for axes in drawing.figure.axes if axes.get_visible()]
        self.assertEqual([axes.get_title() for axes in cells], ["generator random", "generator stride, stride 64", "generator stride, stride 128"])
        looks = {}
        for axes, lines in zip(cells, (5, 6, 6)):
            self.assertEqual(len(axes.get_lines()), lines)
            for line in axes.get_lines():
                looks.setdefault(line.get_label(), set()).add((line.get_color(), line.get_marker()))
        self.assertEqual(len({look for each in looks.values() for look in each}), 6, looks)
        self.assertTrue(all(len(each) == 1 for each in looks.values()), looks)
        self.assertEqual(sorted(text.get_text() for text in drawing.figure.legends[0].get_texts()), sorted(looks))

    def test_a_figure_says_itself_how_many_of_its_series_are_drawn(self):
        sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/report"))
        import study_figures
        found = {(seed,): [(1, seed), (2, seed)] for seed in range(10)}
        drawing = study_figures.curves("name", "title", "text", ["ways"], found, "x", "y")
        self.assertEqual(drawing.figure.legends[0].get_title().get_text(), "8 of 10 series of a panel are drawn, evenly chosen")
        del found[8,], found[9,]
        drawing = study_figures.curves("name", "title", "text", ["ways"], found, "x", "y")
        self.assertEqual(drawing.figure.legends[0].get_title().get_text(), "")


if __name__ == "__main__":
    unittest.main()
