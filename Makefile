# SPDX-License-Identifier: Apache-2.0
# What a developer of the code can do. The front door is ./gmmu; each target here is one line over it or over a tool.
.DEFAULT_GOAL := help
.PHONY: help run test lint synth formal regs docs check fresh clean
SHELL := /bin/sh
PYTHON := build/venv/bin/python
SUITE ?= trixie

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 10

run: ## Build, and run the main job on its default input (FILE=... for another)
	./gmmu run $(FILE)

test: ## Build, and run all tests (ARGS='-L unit' and the like go to ctest)
	./gmmu test $(ARGS)

lint: ## Verilator -Wall, elaboration by Yosys, generated files, reasons of waivers
	@./gmmu tools build test synth
	$(PYTHON) tools/lint.py

synth: ## Generic synthesis of the GPU top: statistics; no latch, no undriven and no doubly driven net
	@./gmmu tools synth
	$(PYTHON) tools/synth.py

formal: ## Proofs of tb/formal, each with the planted bugs that it finds (ARGS='fifo' for one claim)
	@./gmmu tools synth
	$(PYTHON) tb/formal/run.py $(ARGS)

regs: ## Generate the register and record files from rtl/pkg/gmmu.rdl
	@./gmmu tools test
	$(PYTHON) tools/regs/generate.py

docs: ## Check that the links and paths in the documentation exist
	@python3 tools/check_docs.py

check: ## All of the above as CI runs it, then both README commands in a bare Debian
	tools/check.sh

fresh: ## Both README commands in a bare Debian root (SUITE=trixie or bookworm; needs root)
	tools/fresh_root.sh $(SUITE) './gmmu run' './gmmu test'

clean: ## Remove build/
	rm -rf build
