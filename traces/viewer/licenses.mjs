// Collects the licences of the bundled packages, for dist/LICENSES.txt.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const bundled = ['echarts', 'zrender', 'tslib'];
let text = 'viewer.js contains these libraries:\n';
for (const name of bundled) {
  const about = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
  text += `\n${'='.repeat(72)}\n${name} ${about.version} (${about.license})\n\n`;
  for (const file of ['LICENSE', 'LICENSE.txt', 'NOTICE', 'CopyrightNotice.txt'])
    if (existsSync(`node_modules/${name}/${file}`)) text += readFileSync(`node_modules/${name}/${file}`, 'utf8').trimEnd() + '\n';
}
writeFileSync('dist/LICENSES.txt', text);
