# JupyterLab with the Go kernel, as a user without rights:
#
#     docker build -t gosphere .
#     docker run --rm -p 127.0.0.1:8888:8888 gosphere
#
# Open the address with the token that it prints. Mount a folder below the home of its user to work on files of this machine.
ARG GO_IMAGE=docker.io/library/golang:1.27-bookworm
ARG PYTHON_IMAGE=docker.io/library/python:3.13-slim-bookworm

FROM ${GO_IMAGE} AS build
ARG VERSION=v0.1.0-alpha.0
WORKDIR /source
COPY . .
RUN git config --global --add safe.directory /source && \
    export GOTOOLCHAIN=$(sed -n 's/^toolchain //p' go.mod) && \
    go run ./install/release -dirty -version "$VERSION" -targets "linux/$(go env GOARCH)" -out /dist

FROM ${PYTHON_IMAGE}
# notebook and jupyterhub let Binder and JupyterHub start the image.
RUN --mount=type=bind,from=build,source=/dist,target=/dist \
    python3 -m venv /opt/jupyter && \
    /opt/jupyter/bin/pip install --no-cache-dir --disable-pip-version-check \
        jupyterlab==4.6.6 notebook==7.6.5 jupyterhub==6.1.1 papermill==2.7.0 /dist/*.whl
ARG NB_USER=jovyan
ARG NB_UID=1000
ENV PATH=/opt/jupyter/bin:$PATH HOME=/home/${NB_USER}
RUN useradd --create-home --uid ${NB_UID} --shell /bin/bash ${NB_USER}
COPY --chown=${NB_UID}:${NB_UID} notebooks /home/${NB_USER}/notebooks
USER ${NB_UID}
WORKDIR /home/${NB_USER}
EXPOSE 8888
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python3", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8888/api', timeout=4)"]
CMD ["jupyter", "lab", "--ip=0.0.0.0", "--no-browser"]
