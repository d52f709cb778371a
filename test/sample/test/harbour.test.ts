import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Berth } from '../src/berth.ts';
import { feeFor } from '../src/fees.ts';
import { Harbour } from '../src/harbour.ts';
import { Fleet, type Ship } from '../src/ship.ts';
import { calc, nextTimeAbove } from '../src/tide.ts';
import { clock, hour } from '../src/time.ts';

const tide = { mean: 2.5, range: 1.5, highWater: 6 * hour };
const ship = (parts: Partial<Ship>): Ship => ({ name: 'Test', length: 20, draught: 2, cargo: 'fish', arrives: 0, ...parts });

describe('the tide', () => {
  it('is highest at high water', () => assert.equal(calc(tide, tide.highWater), 4));
  it('tells when there is enough water', () => assert.equal(nextTimeAbove(tide, 4, 0), tide.highWater));
  it('tells when there never is', () => assert.equal(nextTimeAbove(tide, 9, 0), undefined));
});

describe('the harbour', () => {
  it('lets a deep ship wait for the water', () => {
    const harbour = new Harbour([new Berth('Quay', 50, 1)], tide);
    const fleet = new Fleet([ship({ draught: 4 })]);
    for (let time = 0; time <= 6 * hour; time++) harbour.tick(time, fleet);
    assert.match(harbour.log[1]?.text ?? '', /moors at Quay/);
    assert.ok((harbour.log[1]?.time ?? 0) > 0);
  });

  it('keeps a ship out that is too long', () => {
    const harbour = new Harbour([new Berth('Quay', 10, 9)], tide);
    harbour.tick(0, new Fleet([ship({})]));
    assert.equal(harbour.waiting, 1);
  });
});

describe('small things', () => {
  it('charges fishing boats half', () => assert.equal(feeFor(ship({}), 2 * hour), 104));
  it('tells the time', () => assert.equal(clock(465), '07:45'));
});
