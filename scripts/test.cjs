'use strict'

/** `npm test`: the fast tier. Arguments go to vitest: `npm test -- packages/engine -t barge-in`. */

const path = require('node:path')
const { becomeProgram, prepare, root, runCommand } = require('./bootstrap.cjs')

runCommand(async () => {
  const node = await prepare('development', ['dashboard'])
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
  await becomeProgram(node, vitest, ['run', ...process.argv.slice(2)])
})
