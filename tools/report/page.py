# SPDX-License-Identifier: Apache-2.0
"""The HTML page of a report: figures, tables and, for what is missing, the reason."""
import style
from run_figures import MOST
from style import escape

# The content security policy that makes the browser block scripts and external resources.
HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ font: 15px/1.45 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #000; background: #fff; }}
figure {{ margin: 1em 0 2em; }} figure svg {{ max-width: 100%; height: auto; }} figcaption, .note {{ color: #333; }}
table {{ border-collapse: collapse; font-size: 13px; }} th, td {{ border-bottom: 1px solid #bbb; padding: 0.15em 0.7em; text-align: left; }}
td.n {{ text-align: right; font-variant-numeric: tabular-nums; }} .missing {{ border-left: 3px solid #999; padding-left: 0.8em; }}
@media print {{ figure {{ break-inside: avoid; }} }}
</style>
</head>
<body>
"""


def table(heads, rows, name):
    """An HTML table. `rows` contain strings, or (string, True) for numbers."""
    out = [f'<table data-table="{name}">', "<tr>" + "".join(f"<th>{escape(head)}</th>" for head in heads) + "</tr>"]
    for row in rows:
        out.append("<tr>" + "".join(f'<td class="n">{escape(cell[0])}</td>' if isinstance(cell, tuple) else f"<td>{escape(cell)}</td>" for cell in row) + "</tr>")
    return "\n".join([*out, "</table>"])


def cell(name, value):
    if value is None:
        return ""
    return style.bytes_text(value) if name == "footprint" and isinstance(value, int) else str(value)


def runs_table(data):
    names = [name for name in data.variables if name != "engine"][:8]
    heads = ["run", "engine", "times", "result", "cycles", *names]
    rows = [[run.label, run.report["machine"]["engine"], run.report["machine"]["timing"], "passed" if run.report["passed"] else "did not pass",
             (f"{run.report['cycles']:,}", True), *(cell(name, run.values.get(name)) for name in names)]
            for run in data.runs[:200]]
    note = f'<p class="note">{len(data.runs) - 200} more runs are not listed.</p>' if len(data.runs) > 200 else ""
    return table(heads, rows, "runs") + note


def counters(data):
    """The counters by block, with unit, description and a value for each run."""
    if not data.runs:
        return '<p class="missing">Not there: no report was given.</p>'
    if len(data.runs) > MOST:
        return (f'<p class="missing">Not there: {len(data.runs)} runs, and counters of at most {MOST} are listed: give reports of single runs; '
                "view <code>counter</code> of a study has all of them.</p>")
    words = data.runs[0].report.get("counter_table", {})
    rows = []
    for block in dict.fromkeys(block for run in data.runs for block in run.report["counters"]):
        kind = block.split(".")[-1]
        of = words.get("port_*" if kind.startswith("port_") and "port_*" in words else kind, {})
        for name in dict.fromkeys(name for run in data.runs for name in run.report["counters"].get(block, {})):
            values = [run.report["counters"].get(block, {}).get(name) for run in data.runs]
            text = of.get(name, {"unit": "", "description": ""})
            rows.append([block, name, *(("not counted" if value is None else f"{value:,}", True) for value in values), text["unit"], text["description"]])
    return table(["block", "counter", *(run.label for run in data.runs), "unit", "description"], rows, "counters")


def write(data, figures):
    """`figures`: [(title of the section, Drawings or why there are none)]. The page's text."""
    title = f"gmmu report: {data.title}"
    out = [HEAD.format(title=escape(title)), f"<h1>{escape(title)}</h1>"]
    if data.runs:
        programs = dict.fromkeys(f"{run.report['program']['version']} ({run.report['program']['commit']})" for run in data.runs)
        out.append(f'<p class="note">gmmu {escape(", ".join(programs))}.</p>')
        if any(run.report["machine"]["timing"] == "estimated" for run in data.runs):
            out.append('<p class="note">Times of the fast engine are estimates (docs/twin.md).</p>')
    out += [f'<p class="note">{escape(note)}</p>' for note in data.notes]
    if data.runs:
        out += ["<h2>Runs</h2>", runs_table(data)]
    for title, drawings in figures:
        if isinstance(drawings, str) or not drawings:
            continue
        out.append(f"<h2>{escape(title)}</h2>")
        for drawing in drawings:
            out.append(f"<figure>\n{style.svg(drawing)}\n<figcaption>{escape(drawing.title)}. {escape(drawing.text)}</figcaption>\n</figure>")
    missing = [f"<b>{escape(title)}</b>: {escape(drawings)}" for title, drawings in figures if isinstance(drawings, str)]
    if missing:
        out.append(f'<p class="missing">Not drawn. {"; ".join(missing)}.</p>')
    out += ["<h2>Counters</h2>", counters(data), "</body>", "</html>", ""]
    return "\n".join(out)
