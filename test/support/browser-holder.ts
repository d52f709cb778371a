/** Opens a page in the browser and waits, until it is killed. Its arguments are the address and the path of the browser. */
import { RunBrowser } from '../../src/hosts/node/browser/run-browser.ts';

const [url = '', path] = process.argv.slice(2);
const browser = new RunBrowser({ data: process.env.TMPDIR ?? '', path });
await browser.act({ do: 'open', url, hosts: [] }, new AbortController().signal);
process.stdout.write('open\n');
