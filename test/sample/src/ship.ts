import type { Minutes } from './time.ts';

export type Cargo = 'grain' | 'timber' | 'fish' | 'passengers';

export interface Ship {
  name: string;
  /** Metres. */
  length: number;
  /** Metres of water that it needs below the surface. */
  draught: number;
  cargo: Cargo;
  arrives: Minutes;
}

const hoursToUnload: Record<Cargo, number> = { grain: 5, timber: 4, fish: 2, passengers: 1 };

/** How long the ship stays at its berth. */
export function stayOf(ship: Ship): Minutes {
  return hoursToUnload[ship.cargo] * 60;
}

export class Fleet {
  readonly #ships: Ship[];

  constructor(ships: Ship[]) {
    this.#ships = [...ships].sort((a, b) => a.arrives - b.arrives);
  }

  arrivingAt(time: Minutes): Ship[] {
    return this.#ships.filter((ship) => ship.arrives === time);
  }

  get deepest(): Ship | undefined {
    return this.#ships.reduce<Ship | undefined>((deepest, ship) => (ship.draught > (deepest?.draught ?? 0) ? ship : deepest), undefined);
  }
}
