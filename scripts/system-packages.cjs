'use strict'

/** System packages that the slow tier of tests needs. */

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const {
  MIN_CHROMIUM_MAJOR,
  MIN_POSTGRES_MAJOR,
  MIN_REDIS_MAJOR,
  findChromium,
  findPostgres,
  findRedis,
} = require('./service-programs.cjs')

const REQUIREMENTS = [
  {
    program: `PostgreSQL ${MIN_POSTGRES_MAJOR} or newer`,
    debianPackage: 'postgresql',
    homebrewPackage: 'postgresql@17',
    find: findPostgres,
  },
  {
    program: `Redis ${MIN_REDIS_MAJOR} or newer`,
    debianPackage: 'redis-server',
    homebrewPackage: 'redis',
    find: findRedis,
  },
  {
    program: `Chromium ${MIN_CHROMIUM_MAJOR} or newer`,
    debianPackage: 'chromium',
    homebrewPackage: '--cask chromium',
    find: findChromium,
  },
]

const INSTALL_TIMEOUT_MS = 10 * 60_000
const MAX_OUTPUT_CHARACTERS = 20_000
const MAX_SHOWN_LINES = 10

/** On Debian as root CI can install what is missing, so no test may be skipped. */
function requiresAllPrograms() {
  return process.env.CI === 'true' && fs.existsSync('/etc/debian_version') && process.getuid?.() === 0
}

/** Programs that this machine lacks, with their Debian packages. */
function findMissing() {
  return REQUIREMENTS.filter(({ find }) => find() === null).map(({ program, debianPackage }) => ({
    program,
    debianPackage,
  }))
}

/**
 * Installs what is missing, where that is wanted, and resolves to what is still missing. Packages ask `policyFile` before they start
 * their services.
 */
async function installMissing({ shouldInstall = requiresAllPrograms(), policyFile = '/usr/sbin/policy-rc.d' } = {}) {
  const missing = findMissing()
  if (missing.length === 0 || !shouldInstall) return missing
  const packages = missing.map(({ debianPackage }) => debianPackage)
  process.stderr.write(`Installing ${packages.join(', ')} … `)
  const startedAtMs = Date.now()
  const allowServices = forbidServices(policyFile)
  try {
    const install = ['install', '-y', '-qq', '--no-install-recommends', ...packages]
    let result = await runApt(install)
    if (result.code !== 0) {
      // A fresh image has no package lists, and those of an older one name versions that no longer exist.
      const updated = await runApt(['update', '-qq'])
      result = updated.code === 0 ? await runApt(install) : updated
    }
    const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1)
    process.stderr.write(result.code === 0 ? `done in ${seconds} s\n` : `failed after ${seconds} s\n${result.output}\n`)
  } finally {
    allowServices()
  }
  return findMissing()
}

/** Keeps packages from starting services, since every suite runs its own. Returns the function that allows them again. */
function forbidServices(policyFile) {
  try {
    fs.writeFileSync(policyFile, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' })
  } catch {
    // The system has a policy of its own, or none can be set; a second service does no harm.
    return () => undefined
  }
  return () => fs.rmSync(policyFile, { force: true })
}

/** Runs apt-get without questions and resolves to its exit code and the last lines of its output. */
function runApt(aptArguments) {
  return new Promise((resolve) => {
    const child = spawn('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...aptArguments], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const timer = setTimeout(() => child.kill(), INSTALL_TIMEOUT_MS)
    const settle = (code, lines) => {
      clearTimeout(timer)
      resolve({ code, output: lines.filter(Boolean).slice(-MAX_SHOWN_LINES).join('\n') })
    }
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output = (output + chunk).slice(-MAX_OUTPUT_CHARACTERS)
      })
    }
    child.on('error', (error) => settle(1, [error.message]))
    child.on('close', (code, signal) => {
      settle(code ?? 1, [...output.split('\n'), ...(signal ? [`ended by ${signal}`] : [])])
    })
  })
}

module.exports = { REQUIREMENTS, installMissing, requiresAllPrograms }
