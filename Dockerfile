# ptosim in a container: docker build -t ptosim . && docker run --rm -v "$PWD:/work" ptosim ptosim check kernels
FROM debian:12-slim AS build
COPY scripts/setup.sh /source/scripts/setup.sh
RUN /source/scripts/setup.sh && apt-get install -y -qq --no-install-recommends git dpkg-dev >/dev/null
COPY . /source
RUN cmake -S /source -B /build -DCMAKE_UNITY_BUILD=ON >/dev/null \
    && cmake --build /build --parallel "$(nproc)" --target ptosim libptosim ptosim_mpi reference_pages \
    && cd /build && cpack -G DEB && mv ptosim_*.deb /ptosim.deb

FROM debian:12-slim
COPY --from=build /ptosim.deb /tmp/ptosim.deb
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends /tmp/ptosim.deb g++ python3 python3-numpy libcairo2 gnuplot-nox >/dev/null \
    && rm -rf /tmp/ptosim.deb /var/lib/apt/lists/*
WORKDIR /work
CMD ["ptosim", "--help"]
