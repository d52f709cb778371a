/** Decides which addresses are private: this computer, its network, and addresses that do not belong to a single host on the Internet. */
import { BlockList, isIP, isIPv6 } from 'node:net';

const CLOSED = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8',
  '169.254.0.0/16', // Link-local addresses, and the metadata services of clouds
  '168.63.129.16/32', // Azure's services for its own virtual machines
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24', // documentation
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '2001::/23', // Addresses of Teredo and other protocols
  '2001:db8::/32',
  '2002::/16', // 6to4 addresses, which contain an IPv4 address
  '3fff::/20',
];
/** Only this range of IPv6 is the public Internet. */
const GLOBAL_IPV6 = ['2000::/3'];

let lists: { closed: BlockList; global6: BlockList } | undefined;

/** The lists are built when the first address is checked, because most runs check no address. */
function blockLists() {
  lists ??= { closed: blockList(CLOSED), global6: blockList(GLOBAL_IPV6) };
  return lists;
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    list.addSubnet(network, Number(prefix), isIPv6(network) ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** Names that networks give to their own hosts. Names without a dot are private as well. */
const OWN_NAME = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa)$/;

export function isPrivateAddress(address: string): boolean {
  const [bare = ''] = address.split('%');
  const mapped = mappedAddress(bare);
  if (mapped) return isPrivateAddress(mapped);
  const { closed, global6 } = blockLists();
  if (isIPv6(bare)) return !global6.check(bare, 'ipv6') || closed.check(bare, 'ipv6');
  return closed.check(bare, 'ipv4');
}

/** Decides without a DNS lookup. The URL class has already normalized IP addresses in unusual notations. */
export function isPrivateHost({ hostname }: URL): boolean {
  const name = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.+$/, '')
    .toLowerCase();
  if (isIP(name)) return isPrivateAddress(name);
  return !name.includes('.') || OWN_NAME.test(name);
}

/** Returns the IPv4 address that an IPv4-mapped address or a NAT64 address contains. */
function mappedAddress(address: string): string | undefined {
  if (!isIPv6(address)) return undefined;
  const { hostname } = new URL(`http://[${address}]`);
  const [, high = '', low = ''] = /^\[(?:::ffff:|64:ff9b::)([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(hostname) ?? [];
  if (!high) return undefined;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}
