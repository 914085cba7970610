'use strict'

/** System packages that the slow test tier requires. */

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

/**
 * Whether all programs are required. On Debian, CI runs as root and can install missing programs, so no test is allowed to be
 * skipped.
 */
function requiresAllPrograms() {
  return process.env.CI === 'true' && fs.existsSync('/etc/debian_version') && process.getuid?.() === 0
}

/** Returns the programs that the machine lacks, with their Debian packages. */
function findMissing() {
  return REQUIREMENTS.filter(({ find }) => find() === null).map(({ program, debianPackage }) => ({
    program,
    debianPackage,
  }))
}

/**
 * Installs missing programs if requested, and resolves to the programs that are still missing. Packages query `policyFile`
 * before they start their services.
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
      // A new image has no package lists, and outdated lists name versions that no longer exist.
      const updateResult = await runApt(['update', '-qq'])
      result = updateResult.code === 0 ? await runApt(install) : updateResult
    }
    const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1)
    process.stderr.write(result.code === 0 ? `done in ${seconds} s\n` : `failed after ${seconds} s\n${result.output}\n`)
  } finally {
    allowServices()
  }
  return findMissing()
}

/**
 * Prevents packages from starting services, since every suite runs its own services. Returns a function that allows services
 * again.
 */
function forbidServices(policyFile) {
  try {
    fs.writeFileSync(policyFile, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' })
  } catch {
    // The system has its own policy, or no policy can be set. An additional service causes no problems.
    return () => undefined
  }
  return () => fs.rmSync(policyFile, { force: true })
}

/** Runs apt-get non-interactively and resolves to its exit code and the last lines of its output. */
function runApt(aptArguments) {
  return new Promise((resolve) => {
    const child = spawn('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...aptArguments], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const timer = setTimeout(() => child.kill(), INSTALL_TIMEOUT_MS)
    const finish = (code, lines) => {
      clearTimeout(timer)
      resolve({ code, output: lines.filter(Boolean).slice(-MAX_SHOWN_LINES).join('\n') })
    }
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output = (output + chunk).slice(-MAX_OUTPUT_CHARACTERS)
      })
    }
    child.on('error', (error) => finish(1, [error.message]))
    child.on('close', (code, signal) => {
      finish(code ?? 1, [...output.split('\n'), ...(signal ? [`ended by ${signal}`] : [])])
    })
  })
}

module.exports = { REQUIREMENTS, installMissing, requiresAllPrograms }
