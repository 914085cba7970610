import { Page } from '../../components/page.tsx'

export function UsageScreen() {
  return <Page title="UsageScreen">…</Page>
}
