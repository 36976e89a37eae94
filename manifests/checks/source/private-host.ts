import { BlockList, isIP } from 'node:net';

/** Addresses that are not on the public internet: this machine, its networks, metadata services, multicast, reserved. */
const PRIVATE = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.ipv4.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::', 127],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  PRIVATE.ipv6.addSubnet(network, prefix, 'ipv6');

/** Whether an IP address is reachable only in its own network. An IPv4 address inside IPv6 counts as an IPv4 address. */
export function isPrivateAddress(address: string): boolean {
  const version = isIP(address);
  // Two lists: in a single one, an IPv4 address would match the rules for IPv4 inside IPv6.
  return version === 4 ? PRIVATE.ipv4.check(address) : version === 6 && PRIVATE.ipv6.check(address, 'ipv6');
}

/** Whether a URL's host is reachable only in its own network. URLs already have their addresses in one form. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return isPrivateAddress(host);
  return !host.includes('.') || /\.(localhost|local|lan|internal|intranet|home\.arpa|test)$/.test(host);
}
