// This module is loaded into the VS Code server (node --import). A browser encrypts VS Code's secret storage with a key. The server has one
// half of this key, and the browser requests it with POST /mint-key. The part of code-server that answers this request is not installed
// here, so this module answers it. Without an answer, secrets would be lost with every reload.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Server } from 'node:http';
import { dirname } from 'node:path';

function keyHalf(file) {
  try {
    return readFileSync(file);
  } catch {
    const key = randomBytes(32);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, key, { mode: 0o600 });
    return key;
  }
}

const file = process.env.KEDGE_EDITOR_KEY;
// The variable is deleted, because the extension hosts inherit the environment and must not answer the request.
delete process.env.KEDGE_EDITOR_KEY;
if (file) {
  const { emit } = Server.prototype;
  Server.prototype.emit = function (...args) {
    const [event, request, response] = args;
    if (event !== 'request' || request.method !== 'POST' || request.url !== '/mint-key') return emit.apply(this, args);
    response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Cache-Control': 'no-store' });
    response.end(keyHalf(file));
    return true;
  };
}
