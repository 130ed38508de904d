#!/bin/sh
# The two baselines that live outside: Weka's J48 (C4.5) and pysbrl (SBRL), the latter in an environment of its own,
# since it was written for older versions of everything. What is there already is left alone.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
python=${PYTHON:-python3}
home="$here/.baselines"

packages=""
command -v java >/dev/null || packages="$packages default-jre-headless"
[ -f /usr/share/java/weka.jar ] || packages="$packages weka"
[ -f /usr/include/gsl/gsl_rng.h ] || packages="$packages libgsl-dev"
command -v gcc >/dev/null || packages="$packages gcc libc6-dev"
if [ -n "$packages" ]; then
	command -v apt-get >/dev/null || { echo "please install$packages (Debian's names), then run this again" >&2; exit 1; }
	if [ "$(id -u)" = 0 ]; then as_root=""; else as_root="sudo"; fi
	# shellcheck disable=SC2086
	$as_root apt-get install -y --no-install-recommends $packages
fi

if ! "$home/sbrl/bin/python" -c "import numpy as np; np.int = int; import pysbrl" 2>/dev/null; then
	rm -rf "$home/sbrl"
	"$python" -m venv "$home/sbrl"
	"$home/sbrl/bin/pip" install --quiet -r "$here/sbrl-requirements.txt"
	"$home/sbrl/bin/pip" install --quiet --no-build-isolation pysbrl==0.4.1
	"$home/sbrl/bin/python" -c "import numpy as np; np.int = int; import pysbrl"
fi
echo "J48: /usr/share/java/weka.jar; SBRL: $home/sbrl"
