import type { Ship } from './ship.ts';
import { hour, type Minutes } from './time.ts';

const perMetreAndHour = 1.2;
const pilot = 80;

/** What a stay costs, in whole crowns. */
export function feeFor(ship: Ship, stay: Minutes): number {
  if (stay === 0) return 0;
  const hours = Math.ceil(stay / hour);
  const discount = ship.cargo === 'fish' ? 0.5 : 1;
  return Math.round(pilot + ship.length * hours * perMetreAndHour * discount);
}
