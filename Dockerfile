FROM debian:bookworm AS build
WORKDIR /src
COPY . .
RUN scripts/setup && cmake --preset release -DQUERENT_TESTS=OFF && cmake --build --preset release --target querent

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libjansson4 libpq5 libsqlite3-0 libssl3 \
    libyaml-0-2 libmariadb3 libsybdb5 libutf8proc2 libstemmer0d libpg-query1504.0 ca-certificates curl \
    && rm -rf /var/lib/apt/lists/* && useradd --system --uid 10001 querent && install -d -o querent -m 700 /var/lib/querent
COPY --from=build /src/build/querent /usr/local/bin/querent
USER querent
# Inside the container every address is reached through the published port.
ENV QUERENT_STATE=/var/lib/querent QUERENT_SERVER_LISTEN=0.0.0.0:8765
VOLUME /var/lib/querent
EXPOSE 8765
HEALTHCHECK CMD curl -fsS http://127.0.0.1:8765/readyz || exit 1
ENTRYPOINT ["querent"]
CMD ["serve", "--config", "/etc/querent/querent.yaml"]
