'use strict';

// A screenshot as a PNG of at most 256 colours, a third of its size: what has few colours anyway looks the same.
const { crc32, deflateSync, inflateSync } = require('node:zlib');

const COLOURS = 256;
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** `png`: 8 bits per channel, RGB, not interlaced, as Chromium makes them. */
function smallPng(png) {
  const { width, height, pixels } = decode(png);
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const palette = [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, COLOURS)
    .map(([pixel]) => pixel);
  const indexes = new Map([...counts.keys()].map((pixel) => [pixel, nearest(palette, pixel)]));
  const lines = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) lines[y * (width + 1) + 1 + x] = indexes.get(pixels[y * width + x]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((pixel) => [pixel >> 16, (pixel >> 8) & 255, pixel & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The pixels as 0xRRGGBB, line by line. */
function decode(png) {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  if (png[24] !== 8 || png[25] !== 2 || png[28] !== 0) throw new Error('not an 8-bit RGB PNG');
  const data = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const raw = inflateSync(Buffer.concat(data));
  const bytes = width * 3;
  const lines = Buffer.alloc(height * bytes);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (bytes + 1)];
    for (let x = 0; x < bytes; x += 1) {
      const at = y * bytes + x;
      const left = x < 3 ? 0 : lines[at - 3];
      const up = y === 0 ? 0 : lines[at - bytes];
      const corner = x < 3 || y === 0 ? 0 : lines[at - bytes - 3];
      lines[at] = raw[y * (bytes + 1) + 1 + x] + predicted(filter, left, up, corner);
    }
  }
  const pixels = new Uint32Array(width * height);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = lines.readUIntBE(at * 3, 3);
  return { width, height, pixels };
}

/** The filters of PNG: none, left, up, their average, Paeth. */
function predicted(filter, left, up, corner) {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const [toLeft, toUp, toCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function nearest(palette, pixel) {
  const far = (other) =>
    ((other >> 16) - (pixel >> 16)) ** 2 +
    (((other >> 8) & 255) - ((pixel >> 8) & 255)) ** 2 +
    ((other & 255) - (pixel & 255)) ** 2;
  let best = 0;
  for (let at = 1; at < palette.length; at += 1) if (far(palette[at]) < far(palette[best])) best = at;
  return best;
}

function chunk(type, data) {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

module.exports = { smallPng };
