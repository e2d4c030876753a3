#!/bin/sh
# `ptosim serve` in a container: no network, nothing of the host but kernels (read-only) and the folder of its socket.
#     serve_in_container.sh KERNELS SOCKET_FOLDER [IMAGE]
# The sandbox of compiled kernels needs seccomp filters with notifications and Landlock inside of the container, which
# the default profiles of Docker and Podman allow; where they do not, C++ kernels are refused (I64), .pto texts never.
set -eu
exec "${CONTAINER:-docker}" run --rm --network none --read-only --tmpfs /tmp:rw,size=2g,exec \
    --user "$(id -u):$(id -g)" --memory 16g --pids-limit 512 --cap-drop ALL --security-opt no-new-privileges \
    --volume "$1:/kernels:ro" --volume "$2:/run/ptosim" --env PTOSIM_CACHE=/tmp/cache "${3:-ptosim}" \
    ptosim serve --socket /run/ptosim/serve.sock --root /kernels
