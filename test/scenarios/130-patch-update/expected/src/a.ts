import { tide } from './tide.ts';

export function berth(name: string): string {
  const found = find(name);
  if (!found) throw new Error(`No berth ${name}`);
  return found;
}

function find(name: string): string | undefined {
  return berths.find((each) => each === name);
}
