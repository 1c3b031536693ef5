// A TLS proxy in front of Stoa, as operators put one: wallets follow https links
// alone. It is started first, so that Stoa can be told its public address.
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:https";
import { once } from "node:events";

const file = (name) => readFileSync(new URL(`tls/${name}`, import.meta.url));

export async function startProxy() {
  let target;
  const server = createServer({ cert: file("localhost.pem"), key: file("localhost.key") }, (req, res) => {
    const { hostname, port } = target;
    const options = { hostname, port, method: req.method, path: req.url, headers: req.headers };
    const onward = request(options, (answer) => {
      res.writeHead(answer.statusCode, answer.headers);
      answer.pipe(res);
    });
    onward.once("error", () => res.destroy());
    req.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `https://localhost:${server.address().port}`,
    leadTo: (url) => (target = new URL(url)),
    stop: () => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
  };
}
