import { Page } from '../../components/page.tsx'

export function CallScreen() {
  return <Page title="CallScreen">…</Page>
}
