#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make formal: proves the claims in the folders beside this file, and finds the bugs planted in copies of the RTL.

  run.py [CLAIM...] [--jobs N] [--list]

A claim is a folder with claim.toml (its keys: README.md) and a top module. For each of its sizes the covers must be
reached, and abc's pdr proves the assertions, without a bound or, if the claim gives a depth, for that number of cycles.
For each planted bug a copy of the RTL is changed and must fail the assertion that the bug names. The models, logs and
waves of counterexamples stay in build/formal/CLAIM/RUN. Exit status 0: all results are as expected.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build/formal"
sys.path.insert(0, str(ROOT / "tools"))


class Wrong(Exception):
    """A run did not end as expected; the text is for the user."""


def claims():
    return {path.parent.name: tomllib.loads(path.read_text()) for path in sorted(HERE.glob("*/claim.toml"))}


def sources(name, claim, folder, bug):
    """RTL in its order, then checkers, then the claim's own files; with a planted bug, from the copy below `folder`."""
    import rtl_sources
    files = rtl_sources.sources()
    files += [str(path.relative_to(ROOT)) for path in sorted((HERE / "props").glob("*_props.sv"))]
    files += [str(path.relative_to(ROOT)) for path in sorted((HERE / name).glob("*.sv"))]
    if bug is None:
        return files
    text = (ROOT / bug["file"]).read_text()
    if text.count(bug["find"]) != 1:
        raise Wrong(f"the bug's text is in {bug['file']} {text.count(bug['find'])} times, not once: {bug['find']!r}")
    copy = folder / pathlib.Path(bug["file"]).name
    copy.write_text(text.replace(bug["find"], bug["replace"]))
    return [str(copy) if path == bug["file"] else path for path in files]


def yosys(folder, *arguments):
    """Runs this file in a separate process, because an error of Yosys ends the process."""
    done = subprocess.run([sys.executable, __file__, "--child", *arguments], cwd=ROOT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    with open(folder / "yosys.log", "a") as log:
        log.write(done.stdout)
    if done.returncode != 0:
        told = [line for line in done.stdout.splitlines() if re.search(r"error|ERROR", line)]
        raise Wrong("Yosys: " + "; ".join(told[:3] or ["failed"]) + f" ({folder.relative_to(ROOT)}/yosys.log)")
    return done.stdout


def abc(folder, model, command, seconds, witness=""):
    """The result of abc on a model: 'proved', 'none' (nothing found so far) or ('found', cycle)."""
    import pyosys
    program = pathlib.Path(pyosys.__file__).parent / "yosys-abc"
    script = f"read_aiger {folder / model}; fold; strash; {command}" + (f"; write_cex -a {witness}" if witness else "")
    try:
        done = subprocess.run([program, "-c", script], cwd=folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=seconds + 60)
    except subprocess.TimeoutExpired:
        return "none", 0
    with open(folder / "abc.log", "a") as log:
        log.write(done.stdout)
    found = re.search(r"was asserted in frame (\d+)", done.stdout)
    if found:
        return "found", int(found.group(1))
    if re.search(r"Property proved|Networks are equivalent|was proved", done.stdout):
        return "proved", 0
    if done.returncode != 0 or "Reading AIG" in done.stdout or "Error" in done.stdout:
        raise Wrong(f"abc: {done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.returncode}")
    depth = re.search(r"No output (?:failed|asserted) in (\d+) frames", done.stdout)
    return "none", int(depth.group(1)) if depth else 0


def failed_assertions(folder, top):
    """Replays abc's counterexample in Yosys' simulator, an independent check; returns the names of the failing
    assertions."""
    # In the model, all latches start at 0 (with -zinit, arbitrary initial values come from inputs).
    # abc omits latches that have no effect.
    latches = int((folder / "model.aig").open("rb").readline().split()[3])
    frames = (folder / "cex.aiw").read_text().splitlines()[1:]
    (folder / "cex.aiw").write_text("\n".join(["0" * latches, *frames]) + "\n")
    output = yosys(folder, "replay", str(folder), top)
    return sorted(set(re.findall(r"^Warning: Assertion \S*?(\w+) \(", output, re.M)))


def prepare(name, claim, run, size, bug):
    """Builds the model of one run in its own folder; returns the folder, the names of assertions and of covers."""
    folder = BUILD / name / re.sub(r"\W+", "-", run)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    options = [f"-G {key}={value}" for key, value in size.get("parameters", {}).items()]
    options += [f"-D {key}={value}" for key, value in claim.get("defines", {}).items()]
    top = size.get("top", claim.get("top"))
    command = " ".join([f"read_slang -j 1 --top {top}", *options, *sources(name, claim, folder, bug)])
    (folder / "read.ys").write_text(command + "\n")
    output = yosys(folder, "model" if bug is None else "model without covers", str(folder), top,
                   str(size.get("induction", 0) if bug is None else 0), size.get("elsewhere", ""))
    return folder, re.findall(r"^ASSERTION (\S+)$", output, re.M), re.findall(r"^COVER (\S+)$", output, re.M)


def prove(name, claim, size):
    """(result line, whether the result is unbounded)"""
    folder, assertions, covers = prepare(name, claim, size["name"], size, None)
    if not assertions or not covers:
        raise Wrong("no assertion or no cover: a claim that says nothing")
    missed = [cover.split(".")[-1] for cover in covers
              if abc(folder, f"cover.{cover}.aig", f"bmc3 -F {claim.get('cover_depth', 30)} -T 60", 60)[0] != "found"]
    if missed:
        raise Wrong("never happens: " + ", ".join(missed))
    seconds = size.get("seconds", claim.get("seconds", 60))
    told = f"{len(assertions)} assertions, {len(covers)} covers reached"
    depth = size.get("depth")
    induction = size.get("induction")
    if induction is not None:
        verdict, cycle = abc(folder, "model.aig", f"bmc3 -F {induction} -T {seconds}", seconds, "cex.aiw")
        if verdict == "none" and cycle >= induction:
            verdict, cycle = abc(folder, "induction.aig", f"bmc3 -F {induction + 1} -T {seconds}", seconds)
            if verdict == "found":
                raise Wrong(f"holds in the first {induction} cycles, but that does not follow by induction")
            if verdict == "none" and cycle > induction:
                return f"{told}, no bound, by induction over {induction} cycles", True
    elif depth is None:
        verdict, cycle = abc(folder, "model.aig", f"pdr -T {seconds}", seconds, "cex.aiw")
    else:
        verdict, cycle = abc(folder, "model.aig", f"bmc3 -F {depth} -T {seconds}", seconds, "cex.aiw")
    if verdict == "proved":
        return f"{told}, no bound", True
    if verdict == "none" and depth is not None and cycle >= depth:
        return f"{told}, the first {depth} cycles only", False
    if verdict == "found":
        names = failed_assertions(folder, size.get("top", claim.get("top")))
        raise Wrong(f"{', '.join(names)} fails in cycle {cycle}: {folder.relative_to(ROOT)}/cex.vcd")
    raise Wrong(f"undecided in its time ({cycle} cycles were searched)")


def find_bug(name, claim, bug):
    size = next((one for one in claim["size"] if one["name"] == bug.get("size")), claim["size"][0])
    folder, _, _ = prepare(name, claim, "bug " + bug["name"], size, bug)
    seconds = bug.get("seconds", claim.get("seconds", 60))
    verdict, cycle = abc(folder, "model.aig", f"bmc3 -F {bug.get('depth', 40)} -T {seconds}", seconds, "cex.aiw")
    if verdict != "found":
        raise Wrong(f"the planted bug was not found in {bug.get('depth', 40)} cycles")
    names = failed_assertions(folder, size.get("top", claim.get("top")))
    if bug["fails"] not in names:
        raise Wrong(f"the planted bug fails {', '.join(names) or 'nothing'}, not {bug['fails']}")
    return f"{bug['fails']} fails in cycle {cycle}"


def child(step, folder, top, induction="0", elsewhere=""):
    """In a separate process: builds the models of a run, or replays a counterexample."""
    from pyosys import libyosys as ys
    design = ys.Design()

    def run(command):
        print(f"[{command.split()[0]}]", flush=True)
        ys.run_pass(command, design)

    if step == "replay":
        run(f"read_rtlil {folder}/model.il")
        run(f"sim -q -a -multiclock -r {folder}/cex.aiw -map {folder}/model.aim -vcd {folder}/cex.vcd {top}")
        return
    for command in ((pathlib.Path(folder) / "read.ys").read_text().strip(), f"hierarchy -check -top {top}", "proc",
                    "flatten", "opt_clean", "check -assert", "async2sync", "chformal -lower", "opt -fast", "memory_map",
                    "formalff -setundef -clk2ff -ff2anyinit", "setundef -undriven -anyseq", "setundef -anyseq", "opt -fast",
                    "rename -witness"):
        run(command)
    module = design.top_module()
    for cell in list(module.cells_.values()):  # undefined values become inputs, so that a counterexample shows them
        if str(cell.type) == "$anyseq":
            cell.getPort(ys.IdString("\\Y")).as_wire().port_input = True
            module.remove(cell)
    module.fixup_ports()
    for command in ("opt_clean", f"write_rtlil {folder}/model.il", "techmap", "simplemap", "dffunmap", "aigmap", "opt_clean",
                    "select -assert-none t:$mem_v2 t:$dlatch"):
        run(command)
    if elsewhere:
        run(f"delete t:$assert c:{elsewhere} %i")
    if step != "model":  # a planted bug must be found without the invariants for an induction
        run("delete t:$assert c:i_* c:*.i_* %u %i")
    module = design.top_module()
    kinds = {"$assert": [], "$cover": []}
    for cell in module.cells_.values():
        kind = str(cell.type)
        if kind in kinds:
            kinds[kind].append(cell)
    asserts = sorted(str(cell.name).lstrip("\\") for cell in kinds["$assert"])
    for name in asserts:
        print("ASSERTION " + name)
    covers = sorted(str(cell.name).lstrip("\\") for cell in kinds["$cover"])
    for cover in covers:
        print("COVER " + cover)
    write = "write_aiger -I -B -zinit -no-startoffset"
    run("design -save all")
    run("chformal -cover -remove")
    run(f"{write} -map {folder}/model.aim {folder}/model.aig")
    if int(induction):
        run("design -load all")
        run("chformal -cover -remove")
        induction_step(ys, run, design.top_module(), int(induction))
        run(f"{write} {folder}/induction.aig")
    if step == "model":  # logic that only assertions use is removed, once for all covers
        for command in ("design -load all", "chformal -assert -remove", "opt_clean -purge", "design -save all"):
            run(command)
    for cover in covers if step == "model" else ():  # a cover is reached when its negation fails as an assertion
        run("design -load all")
        run(f"delete t:$cover c:{cover} %d")
        module = design.top_module()
        for cell in list(module.cells_.values()):
            if str(cell.type) == "$cover":
                cell.setPort(ys.IdString("\\A"), module.Not(ys.IdString("$not_covered"), cell.getPort(ys.IdString("\\A"))))
                cell.type = ys.IdString("$assert")
        run("simplemap")
        run("aigmap")
        run("opt_clean")
        run(f"{write} {folder}/cover.{cover}.aig")


def induction_step(ys, run, module, cycles):
    """Replaces the assertions by one: if they hold in so many cycles, from any state, they hold in the next cycle."""
    def name(text):
        return ys.IdString("$" + text)

    one = ys.SigSpec(ys.Const(1, 1))
    holds = one
    for number, cell in enumerate(list(module.cells_.values())):
        if str(cell.type) == "$assert":
            off = module.Not(name(f"off{number}"), cell.getPort(ys.IdString("\\EN")))
            here = module.Or(name(f"here{number}"), cell.getPort(ys.IdString("\\A")), off)
            holds = module.And(name(f"all{number}"), holds, here)
            module.remove(cell)
    held = one
    run("setattr -unset init w:*")
    for cycle in range(cycles):
        wire = module.addWire(ys.IdString(f"\\held_{cycle}"), 1)
        module.addFfGate(name(f"hold{cycle}"), module.And(name(f"held{cycle}"), held, holds), ys.SigSpec(wire))
        held = ys.SigSpec(wire)
    run("setattr -set init 1'0 w:held_*")
    module.addAssert(name("step"), module.Or(name("next"), module.Not(name("short"), held), holds), one)
    for command in ("simplemap", "aigmap", "opt_clean"):
        run(command)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("claim", nargs="*")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--list", action="store_true", help="claims, their sizes and bugs, and stop")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(*args.claim)
        return 0
    known = claims()
    unknown = [name for name in args.claim if name not in known]
    if unknown:
        sys.exit(f"formal: no claim {', '.join(unknown)}; there are {', '.join(known)}")
    runs = []
    for name in args.claim or known:
        claim = known[name]
        runs += [(name, size["name"], prove, (name, claim, size)) for size in claim["size"]]
        runs += [(name, bug["name"], find_bug, (name, claim, bug)) for bug in claim["bug"]]
    if args.list:
        for name, title, call, _ in runs:
            print(f"{'size' if call is prove else 'bug':5} {name:12} {title}")
        return 0

    def timed(call, arguments):
        start = time.monotonic()
        try:
            result, wrong = call(*arguments), None
        except Wrong as error:
            result, wrong = None, str(error)
        return result, wrong, time.monotonic() - start

    begin = time.monotonic()
    proved = bounded = found = failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        futures = [pool.submit(timed, call, arguments) for _, _, call, arguments in runs]
        for (name, title, call, _), future in zip(runs, futures):
            result, wrong, seconds = future.result()
            if wrong is not None:
                word, text = "FAILED", wrong
                failed += 1
            elif call is prove:
                text, unbounded = result
                word = "proved" if unbounded else "bounded"
                proved += unbounded
                bounded += not unbounded
            else:
                word, text = "bug found", result
                found += 1
            print(f"{word:9}  {name:12} {title:44} {text}  ({seconds:.1f} s)", flush=True)
    print(f"formal: {proved} proved, {bounded} proved to a depth, {found} planted bugs found, {failed} failed, "
          f"{time.monotonic() - begin:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
