'use strict'

/** `npm run build`: performs all start-up steps before the server runs, for images and read-only installations. */

const { prepare, runCommand } = require('./bootstrap.cjs')

runCommand(async () => {
  await prepare('production', ['dashboard', 'server'])
})
