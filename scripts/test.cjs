'use strict'

/** `npm test`: runs the fast tier. Arguments are passed to vitest: `npm test -- packages/engine -t barge-in`. */

const path = require('node:path')
const { replaceProgram, prepare, root, runCommand } = require('./bootstrap.cjs')

runCommand(async () => {
  const node = await prepare('development', ['dashboard'])
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
  await replaceProgram(node, vitest, ['run', ...process.argv.slice(2)])
})
