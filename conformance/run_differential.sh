#!/usr/bin/env bash
# The differential tests: what is stored beside the Go tests is made anew with Debian's python3-torch and CPython and
# compared. `go test` needs none of this; here nothing may be skipped when CI=true.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-/usr/bin/python3}

if ! "$python" -c 'import torch, sys; sys.exit(not torch.__version__.startswith("1.13"))' 2>/dev/null; then
	echo "differential: $python has no torch 1.13 (apt-get install python3-torch)"
	[ "${CI:-}" = true ] && exit 1
	echo "differential: skipped"
	exit 0
fi

failed=0
check() {
	local name=$1
	shift
	echo "-- $name"
	if ! "$@"; then
		echo "-- $name: FAILED"
		failed=1
	fi
}

check "conformance/torch: op vectors" "$python" conformance/torch/vectors.py --check

# A directory's make_*.py keep what the Go tests expect and check it with --check; its compare*.py hold the library's
# sources against PyTorch's own.
for dir in nn python models safetensors; do
	for script in conformance/"$dir"/make_*.py; do
		[ -e "$script" ] && check "$script" "$python" "$script" --check
	done
	for script in conformance/"$dir"/compare*.py; do
		[ -e "$script" ] && check "$script" "$python" "$script"
	done
done

exit $failed
