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

# remade DIR SCRIPT: runs the script in a copy of its directory and compares what it writes with what is stored. Numbers may
# differ by 1e-4 of their size: another CPU sums in another order.
remade() {
	local copy status=0
	copy=$(mktemp -d)
	cp -r "$1/." "$copy"
	(cd "$copy" && "$python" "$2") || status=1
	"$python" - "$1" "$copy" <<'EOF' || status=1
import glob, os, re, sys
number = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")
bad = 0
for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.txt"))):
    stored = open(path).read()
    made = open(os.path.join(sys.argv[2], os.path.basename(path))).read()
    x, y = number.findall(stored), number.findall(made)
    if number.sub("#", stored) != number.sub("#", made) or any(abs(float(a) - float(b)) > 1e-4 * max(1, abs(float(a))) for a, b in zip(x, y)):
        print("differs:", path)
        bad = 1
sys.exit(bad)
EOF
	rm -rf "$copy"
	return $status
}

# A directory's make_*.py keep what the Go tests expect: they check it with --check, or are run in a copy. Its compare*.py
# hold the library's sources against PyTorch's own.
for dir in nn python models safetensors; do
	for script in conformance/"$dir"/make_*.py; do
		[ -e "$script" ] || continue
		if grep -q -- '--check' "$script"; then
			check "$script" "$python" "$script" --check
		else
			check "$script" remade "conformance/$dir" "$(basename "$script")"
		fi
	done
	for script in conformance/"$dir"/compare*.py; do
		[ -e "$script" ] && check "$script" "$python" "$script"
	done
done

exit $failed
