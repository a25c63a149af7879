# SPDX-License-Identifier: Apache-2.0
"""report_test.py PROGRAM: gmmu report with reports of the program's fast engine."""
import json
import pathlib
import re
import sqlite3
import struct
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
    """{name: parsed <svg>} of a page."""
    found = [xml.etree.ElementTree.fromstring(text) for text in re.findall(r"<svg.*?</svg>", page.read_text(), re.S)]
    return {svg.get("data-figure"): svg for svg in found}


class ReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gmmu_report_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def refused(self, *files, out=None):
        """What the error says; nothing is written."""
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
        value = json.loads((self.folder / "run.json").read_text())["counters"]["gpu_l2"]["l2_lookups"]
        self.assertRegex(text, rf'<td>gpu_l2</td><td>l2_lookups</td><td class="n">{value:,}</td><td>\S+</td><td>\S+')
        self.assertIn('<td class="n">not counted</td>', text)

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


if __name__ == "__main__":
    unittest.main()
