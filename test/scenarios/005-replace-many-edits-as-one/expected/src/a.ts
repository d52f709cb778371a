import { tides } from './tides.ts';

export function berth(name: string): string {
  const found = lookUp(name);
  if (!found) {
    throw new Error(`No berth ${name}`);
  }
  return found;
}

function lookUp(name: string): string | undefined {
  return berths.find((each) => each === name);
}
