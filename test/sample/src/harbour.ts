import type { Berth } from './berth.ts';
import { feeFor } from './fees.ts';
import { type Fleet, type Ship, stayOf } from './ship.ts';
import { calc, type Tide } from './tide.ts';
import type { Minutes } from './time.ts';
import { isClosed, type Wind } from './weather.ts';

export interface Entry {
  time: Minutes;
  text: string;
  /** Metres, when it happened. */
  water: number;
}

export class Harbour {
  readonly log: Entry[] = [];
  income = 0;
  readonly #berths: Berth[];
  readonly #tide: Tide;
  readonly #weather: Wind[];
  readonly #departures = new Map<Ship, Minutes>();
  #queue: Ship[] = [];

  constructor(berths: Berth[], tide: Tide, weather: Wind[] = []) {
    this.#berths = berths;
    this.#tide = tide;
    this.#weather = weather;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** One minute of the harbour's life. */
  tick(time: Minutes, fleet: Fleet): void {
    this.#letGo(time);
    for (const ship of fleet.arrivingAt(time)) {
      this.#queue.push(ship);
      this.#note(time, `${ship.name} arrives with ${ship.cargo}`);
    }
    if (!isClosed(this.#weather, time)) this.#queue = this.#queue.filter((ship) => !this.#moor(ship, time));
  }

  #moor(ship: Ship, time: Minutes): boolean {
    const berth = this.#berths.find((each) => each.isFree() && each.fits(ship, this.#tide, time));
    if (!berth) return false;
    berth.ship = ship;
    this.#departures.set(ship, time + stayOf(ship));
    this.#note(time, `${ship.name} moors at ${berth.name}`);
    return true;
  }

  #letGo(time: Minutes): void {
    for (const berth of this.#berths) {
      const { ship } = berth;
      if (!ship || (this.#departures.get(ship) ?? Number.POSITIVE_INFINITY) > time) continue;
      berth.ship = undefined;
      const fee = feeFor(ship, stayOf(ship));
      this.income += fee;
      this.#note(time, `${ship.name} leaves and pays ${fee}`);
    }
  }

  #note(time: Minutes, text: string): void {
    this.log.push({ time, text, water: calc(this.#tide, time) });
  }
}
