#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# one_node_slurm.sh COMMAND...: starts Slurm on this computer, runs the command with it, and stops it. Needs root on
# Debian with slurm-wlm and munge, and no existing Slurm configuration: while the command runs, the
# script puts its own configuration into /etc/slurm, the only place where Snakemake's jobs look for
# one. The exit status is that of the command.
set -eu
[ "$(id -u)" = 0 ] || { echo "one_node_slurm: run it as root" >&2; exit 2; }
for program in munged slurmctld slurmd; do
  command -v $program >/dev/null || {
    echo "one_node_slurm: $program is missing: apt-get install -y --no-install-recommends slurm-wlm munge" >&2
    exit 2
  }
done
conf=/etc/slurm/slurm.conf
[ ! -e $conf ] || { echo "one_node_slurm: $conf is there: this computer has a Slurm" >&2; exit 2; }
folder=$(mktemp -d)
name=$(hostname -s)
cat >$conf <<CONF
ClusterName=one
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=17817
SlurmdPort=17818
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder
SlurmdSpoolDir=$folder
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ReturnToService=2
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName=$name NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=2000 State=UNKNOWN
PartitionName=one Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
dd if=/dev/urandom of="$folder/munge.key" bs=1024 count=1 2>/dev/null
chmod 400 "$folder/munge.key"

pids=
finish() {
  for pid in $pids; do kill "$pid" 2>/dev/null || true; done
  wait
  rm -rf "$folder" $conf
}
trap finish EXIT
trap 'exit 1' INT TERM

munged -F --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munge.pid" \
  --seed-file="$folder/munge.seed" --log-file="$folder/munge.log" &
pids="$pids $!"
sleep 1
slurmctld -D >/dev/null 2>&1 &
pids="$pids $!"
slurmd -D >/dev/null 2>&1 &
pids="$pids $!"
waited=0
until sinfo -h -t idle -o %D 2>/dev/null | grep -q 1; do
  waited=$((waited + 1))
  [ $waited -lt 60 ] || {
    tail -n 5 "$folder"/*.log >&2
    echo "one_node_slurm: waited 60 s for an idle node" >&2
    exit 1
  }
  sleep 1
done
"$@"
