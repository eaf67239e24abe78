# hedline's server from this checkout: `docker build -t hedline .`, `docker run -p 8000:8000 hedline`.
FROM python:3.12-slim-bookworm AS build
# The compiled kernels need a compiler once; hedline also runs without them, more slowly.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY pyproject.toml setup.py MANIFEST.in README.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/hedline \
    && /opt/hedline/bin/pip install --no-cache-dir ".[serve]"

FROM python:3.12-slim-bookworm
COPY --from=build /opt/hedline /opt/hedline
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin hedline
USER 10001:10001
ENV PATH=/opt/hedline/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    HEDLINE_HOST=0.0.0.0 \
    HEDLINE_PORT=8000
EXPOSE 8000
# Ready, not only alive: a proxy sends nothing to a server that still loads.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ[\"HEDLINE_PORT\"]}/ready', timeout=2)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["hedline", "serve"]
