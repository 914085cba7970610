import { normalizeUrl } from '../sources/read-sources.ts'

/** A crawled site and the rules that decide which pages belong to it. */
export interface CrawlSite {
  readonly path: string
  readonly exclude: readonly string[]
}

/** Extensions of files that are not documents, such as images, audio, programs and assets. */
const NON_PAGE_EXTENSIONS = new Set(
  (
    'jpg jpeg png gif svg webp avif ico bmp tif tiff mp3 mp4 m4a m4v wav ogg webm avi mov mkv css js mjs map json ' +
    'woff woff2 ttf otf eot zip gz tgz bz2 xz 7z rar tar jar exe dmg pkg msi deb rpm apk iso bin xml rss atom ics vcf swf'
  ).split(' '),
)

/** Campaign and click parameters, which do not affect the page content. */
const TRACKING_PARAMETER = /^(?:utm_\w+|gclid|dclid|fbclid|msclkid|mc_[ce]id)$/i

/** Whether the URL is a sitemap rather than a page. */
export function isSitemap(path: string): boolean {
  return /\.xml(?:\.gz)?$/i.test(URL.parse(path)?.pathname ?? '')
}

/** Normalizes the URL of a linked page. Returns null if the link does not lead to a page. */
export function toPageUrl(link: string): string | null {
  const url = URL.parse(link)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null
  const extension = /\.([a-z0-9]{1,8})$/i.exec(url.pathname)?.[1]?.toLowerCase()
  if (extension !== undefined && NON_PAGE_EXTENSIONS.has(extension)) return null
  for (const name of [...url.searchParams.keys()]) if (TRACKING_PARAMETER.test(name)) url.searchParams.delete(name)
  const pageUrl = normalizeUrl(url.href)
  return pageUrl.length <= MAX_URL_CHARACTERS ? pageUrl : null
}

/** Same limit as for URLs in API requests. */
const MAX_URL_CHARACTERS = 2000

/**
 * Whether a page is on the site's host, is below the site's path and is not excluded. A sitemap's pages may have any path.
 * Ignores the scheme and `www.`.
 */
export function isWithinSite({ path, exclude }: CrawlSite, pageUrl: string): boolean {
  const root = URL.parse(path)
  const url = URL.parse(pageUrl)
  if (root === null || url === null || getSiteHost(root) !== getSiteHost(url)) return false
  if (!isSitemap(path) && !isPathBelow(getSiteRoot(root), url.pathname)) return false
  return !exclude.some((prefix) => hasPathPrefix(url, prefix))
}

function getSiteHost({ host }: URL): string {
  return host.replace(/^www\./, '')
}

/** Returns the folder that contains all pages of a site, which is the path without its file name. */
function getSiteRoot({ pathname }: URL): string {
  return pathname.replace(/\/[^/]+\.[a-z]{2,5}$/i, '/')
}

function isPathBelow(root: string, pathname: string): boolean {
  const folder = root.replace(/(?<!\/)\/+$/, '')
  return pathname === folder || pathname.startsWith(`${folder}/`)
}

function hasPathPrefix(url: URL, prefix: string): boolean {
  if (/^https?:\/\//i.test(prefix)) {
    const excludedUrl = URL.parse(prefix)
    if (excludedUrl === null || getSiteHost(excludedUrl) !== getSiteHost(url)) return false
    return `${url.pathname}${url.search}`.startsWith(`${excludedUrl.pathname}${excludedUrl.search}`)
  }
  const path = prefix.startsWith('/') ? prefix : `/${prefix}`
  return `${url.pathname}${url.search}`.startsWith(path)
}
