import type { Ship } from './ship.ts';
import { calc, type Tide } from './tide.ts';
import type { Minutes } from './time.ts';

/** Water to keep under the keel, in metres. */
export const clearance = 0.5;

export class Berth {
  readonly name: string;
  readonly length: number;
  /** Metres from the bottom up to the zero of the tide. */
  readonly depth: number;
  ship?: Ship;

  constructor(name: string, length: number, depth: number) {
    this.name = name;
    this.length = length;
    this.depth = depth;
  }

  isFree(): boolean {
    return this.ship === undefined;
  }

  /** Whether the ship could come in now. */
  fits(ship: Ship, tide: Tide, time: Minutes): boolean {
    return ship.length <= this.length && ship.draught + clearance <= this.depth + calc(tide, time);
  }
}
