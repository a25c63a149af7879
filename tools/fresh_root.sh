#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs commands on a copy of this checkout in a bare Debian, as a new user's machine would.
#
#   tools/fresh_root.sh SUITE COMMAND...     tools/fresh_root.sh trixie './gmmu run' './gmmu test'
#
# Needs root. The root is debootstrap's minbase in a temporary folder, removed at the end (KEEP=1
# keeps it). The copy contains the checkout's files without build/ and .git, at the same path as the
# checkout. The settings with which this machine reaches mirrors (apt, pip, proxy variables,
# certificates) are also copied. If this machine has ccache, the root gets it and this machine's
# cache: sources that the same compiler has compiled before, here or in a root, are not recompiled.
# Prints each command's exit status and time. Exit status 0: all commands succeeded.
set -u
[ $# -ge 2 ] || { sed -n '3,12s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ "$(id -u)" -eq 0 ] || { echo "fresh_root: needs root" >&2; exit 2; }
source_root=$(CDPATH='' cd -- "$(dirname "$0")/.." && pwd -P)
suite=$1
shift

if ! command -v debootstrap >/dev/null 2>&1; then
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends debootstrap; } \
    >/dev/null 2>&1 </dev/null || { echo "fresh_root: debootstrap is missing and could not be installed" >&2; exit 2; }
fi
# The mirror that this machine uses, if it runs Debian; otherwise debootstrap's default.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
  awk '$1 == "URIs:" || $1 == "deb" { for (i = 2; i <= NF; i++) if ($i ~ /^(https?|file):.*debian\/?$/) { print $i; exit } }')

root=$(mktemp -d "${TMPDIR:-/tmp}/gmmu-$suite.XXXXXX") || exit 2
log=$root.log
clean_up() {
  umount -l "$root/proc" "$root/dev" 2>/dev/null
  if [ -n "${KEEP:-}" ]; then
    echo "fresh_root: kept $root"
  else
    rm -rf --one-file-system "$root" "$log"
  fi
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

cache=$(ccache --get-config cache_dir 2>/dev/null) && mkdir -p "$cache" || cache=

start=$(date +%s)
echo "fresh_root: making a bare $suite"
if ! debootstrap --variant=minbase ${cache:+--include=ccache} "$suite" "$root" $mirror >"$log" 2>&1; then
  tail -n 3 "$log" >&2
  echo "fresh_root: debootstrap failed" >&2
  exit 1
fi

# carry FILE...: copies the files that exist to the same paths in the root.
carry() {
  for file in "$@"; do
    [ -e "$file" ] || continue
    mkdir -p "$root$(dirname "$file")"
    cp -L "$file" "$root$file"
  done
}
carry /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/apt/apt.conf /usr/local/share/ca-certificates/*.crt
for file in /etc/apt/apt.conf.d/*; do  # only settings for access to mirrors
  grep -qE 'Proxy|Acquire::(http|https|Check|Retries)' "$file" 2>/dev/null && carry "$file"
done
certificates=$(for name in PIP_CERT SSL_CERT_FILE; do eval "printf '%s\n' \"\${$name:-}\""; done)
carry $certificates
# The root has its own /dev, so that deleting a left-over root deletes none of this machine's devices.
devices() {
  rm -rf "$root/dev"
  mkdir "$root/dev" && mount -t tmpfs -o mode=755 dev "$root/dev" || return 1
  for node in null zero full random urandom tty; do
    : >"$root/dev/$node" && mount --bind "/dev/$node" "$root/dev/$node" || return 1
  done
  mkdir "$root/dev/pts" "$root/dev/shm" && mount -t tmpfs -o mode=1777 shm "$root/dev/shm" || return 1
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts" && ln -s pts/ptmx "$root/dev/ptmx"
  ln -s /proc/self/fd "$root/dev/fd"
  for number in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${number%:*}" "$root/dev/${number#*:}"; done
  [ -z "$cache" ] || { mkdir "$root/dev/ccache" && mount --bind "$cache" "$root/dev/ccache"; }
}
mount -t proc proc "$root/proc" && devices || { echo "fresh_root: proc or devices could not be mounted in $root" >&2; exit 1; }
mkdir -p "$root$source_root"
(cd "$source_root" && tar -cf - --exclude=./build --exclude=./.git .) | tar -xf - -C "$root$source_root" || exit 1
echo "fresh_root: ready after $(($(date +%s) - start)) s"

status=0 report=''
for command in "$@"; do
  start=$(date +%s)
  printf '\nfresh_root: %s\n' "$command"
  env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    $(env | grep -iE '^(https?_proxy|no_proxy|pip_cert|pip_default_timeout|ssl_cert_file)=[^ ]*$') \
    ${cache:+CCACHE_DIR=/dev/ccache "CCACHE_MAXSIZE=$(ccache --get-config max_size)"} chroot "$root" sh -c "cd '$source_root' && $command" </dev/null
  result=$?
  [ $result -eq 0 ] || status=1
  report="$report$(printf '%-34s exit status %d, %5d s' "$command" $result $(($(date +%s) - start)))
"
done
printf '\nfresh_root, bare %s:\n%s' "$suite" "$report"
exit $status
