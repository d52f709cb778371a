import { Berth } from './berth.ts';
import { Harbour } from './harbour.ts';
import { dayReport, tideChart } from './report.ts';
import { Fleet } from './ship.ts';
import { day, hour } from './time.ts';

const tide = { mean: 2.5, range: 1.8, highWater: 7 * hour };
const berths = [new Berth('Fish Quay', 30, 1), new Berth('Long Pier', 90, 2), new Berth('Old Basin', 60, 3)];
const weather = [
  { from: 0, force: 4 },
  { from: 15 * hour, force: 9 },
  { from: 17 * hour, force: 5 },
];
const fleet = new Fleet([
  { name: 'Marigold', length: 24, draught: 2, cargo: 'fish', arrives: 5 * hour },
  { name: 'Halcyon', length: 82, draught: 5.2, cargo: 'grain', arrives: 9 * hour },
  { name: 'Petrel', length: 28, draught: 1.6, cargo: 'fish', arrives: 9 * hour },
  { name: 'Sandpiper', length: 55, draught: 3.1, cargo: 'passengers', arrives: 15 * hour + 30 },
  { name: 'Old Faithful', length: 58, draught: 4.4, cargo: 'timber', arrives: 12 * hour },
]);

const harbour = new Harbour(berths, tide, weather);
for (let time = 0; time < day; time++) harbour.tick(time, fleet);

console.log(tideChart(tide));
console.log();
console.log(dayReport(harbour));
