// Times the ONNX model of the VAD chunk for bench: reads lines of JSON, answers each with a line of JSON.
const readline = require("readline");
const ort = require("onnxruntime-node");
let session, feeds;
let clock = () => performance.now();
async function answer(q) {
  if (q.file) {
    if (q.cputime) clock = () => { const u = process.cpuUsage(); return (u.user + u.system) / 1e3; };
    const t = clock();
    session = await ort.InferenceSession.create(q.file, { intraOpNumThreads: q.threads, interOpNumThreads: 1, executionMode: "sequential" });
    const zeros = () => new ort.Tensor("float32", new Float32Array(128), [1, 128]);
    const x = new Float32Array(576).map(() => Math.random() / 10);
    feeds = { x: new ort.Tensor("float32", x, [1, 576]), h: zeros(), c: zeros() };
    await session.run(feeds);
    return { seconds: (clock() - t) / 1e3 };
  }
  if (q.n) {
    const t = clock();
    for (let i = 0; i < q.n; i++) await session.run(feeds);
    return { seconds: (clock() - t) / 1e3 };
  }
  return { version: require("onnxruntime-node/package.json").version, threads: 1 };
}
readline.createInterface({ input: process.stdin }).on("line", async (line) => {
  let a;
  try { a = await answer(JSON.parse(line)); } catch (e) { a = { error: String(e) }; }
  console.log(JSON.stringify(a));
});
