'use strict'

/** `npm run mutations`: plants faults, one at a time, and reports whether the tests catch them. See CONTRIBUTING.md. */

const path = require('node:path')
const { becomeProgram, prepare, root, runCommand } = require('./bootstrap.cjs')

runCommand(async () => {
  const node = await prepare('development', ['dashboard'])
  await becomeProgram(node, path.join(root, 'testing', 'mutations', 'run.ts'), process.argv.slice(2))
})
