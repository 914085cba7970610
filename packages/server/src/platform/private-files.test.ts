import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { restrictDataPermissions } from './private-files.ts'

test.skipIf(process.platform === 'win32')(
  'files of an installation are closed to others, and nothing else is touched',
  async () => {
    const root = await mkdtemp(join(tmpdir(), 'parley-modes-'))
    try {
      const folder = join(root, 'data')
      const files = [
        'parley.db',
        'parley.db-wal',
        'secret.key',
        'recordings/a/b.wav',
        'backups/x.gz',
        'other/notes.txt',
      ]
      for (const file of files) {
        await mkdir(dirname(join(folder, file)), { recursive: true })
        await writeFile(join(folder, file), '')
        await chmod(join(folder, file), 0o644)
      }
      await chmod(join(folder, 'other'), 0o755)
      await mkdir(join(root, 'sound'), { mode: 0o755 })
      await chmod(folder, 0o755)
      expect(await restrictDataPermissions(folder, join(root, 'sound'))).toEqual([])
      expect((await stat(join(root, 'sound'))).mode & 0o777).toBe(0o700)
      const modeOf = async (path: string) => ((await stat(join(folder, path))).mode & 0o777).toString(8)
      expect(await Promise.all(['', 'recordings', 'recordings/a'].map(modeOf))).toEqual(['700', '700', '700'])
      expect(await Promise.all(files.map(modeOf))).toEqual(['600', '600', '600', '600', '600', '644'])
      expect(await modeOf('other')).toBe('755')
      expect(await restrictDataPermissions(join(root, 'missing'), join(root, 'missing', 'recordings'))).toEqual([])
    } finally {
      await rm(root, { recursive: true, force: true })
    }
  },
)
