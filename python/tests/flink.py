"""A scripted JobManager for tests, whose answers have the structure of Flink 2.3's."""

import http.server
import json
import threading

SINK = "pack -> deliver"


class JobManager:
    """The REST interface on a thread. `jobs` may change at any time; `requests` has the paths of all requests."""

    def __init__(self, context=None):
        self.jobs = []
        self.requests = []
        self.machines = 1
        manager = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                manager.requests.append(self.path)
                status, body = manager.answer(self.path)
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        scheme = "http"
        if context is not None:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
            scheme = "https"
        self.url = f"{scheme}://localhost:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def add(self, name="millrace photos", addresses=None, state="RUNNING", stage=SINK, world=1, evaluation=None):
        number = len(self.jobs) + 1
        job = {"jid": f"{number:02x}" * 16, "name": name, "state": state, "start-time": 1000 + number, "end-time": -1}
        job.update(stage=stage, world=world, running=world, addresses=addresses, evaluation=evaluation, stack="", folder="")
        self.jobs.append(job)
        return job

    def answer(self, path):
        path = path.partition("?")[0]
        if path == "/overview":
            return 200, {"taskmanagers": self.machines, "slots-total": 2 * self.machines, "flink-version": "2.3.0"}
        if path == "/jobs/overview":
            return 200, {"jobs": [{k: j[k] for k in ("jid", "name", "state", "start-time", "end-time")} for j in self.jobs]}
        _, _, jid, *rest = path.split("/")
        job = next((j for j in self.jobs if j["jid"] == jid), None)
        if job is None:
            return 404, {"errors": [f"Job {jid} not found"]}
        if not rest:
            tasks = {"CREATED": 0, "RUNNING": job["running"]}
            vertices = [
                {"id": "a", "name": "Source: read -> decode", "parallelism": 2, "tasks": {"RUNNING": 2}},
                {"id": "b", "name": job["stage"], "parallelism": job["world"], "tasks": tasks},
            ]
            if job["evaluation"] is not None:
                vertices.insert(0, {"id": "c", "name": "evaluation: deliver", "parallelism": job["world"], "tasks": tasks})
            return 200, {"jid": jid, "name": job["name"], "state": job["state"], "vertices": vertices}
        if rest == ["accumulators"]:
            found = [{"name": "other", "type": "LongCounter", "value": "7"}]
            if job["addresses"] is not None:
                found.append({"name": "millrace serve", "type": "ServeAddresses", "value": json.dumps(job["addresses"])})
            if job["evaluation"] is not None:
                value = json.dumps(job["evaluation"])
                found.insert(0, {"name": "millrace serve evaluation", "type": "ServeAddresses", "value": value})
            return 200, {"job-accumulators": [], "user-task-accumulators": found, "serialized-user-task-accumulators": {}}
        if rest == ["exceptions"]:
            late, job["late"] = job.get("late", 0), job.get("late", 0) - 1
            if late > 0:  # Flink's answer is some seconds old.
                return 200, {"exceptionHistory": {"entries": [], "truncated": False}}
            entries = [{"exceptionName": "x.Y", "stacktrace": job["stack"], "timestamp": 1, "concurrentExceptions": []}]
            return 200, {"exceptionHistory": {"entries": entries, "truncated": False}}
        if rest == ["config"]:
            return 200, {"jid": jid, "execution-config": {"user-config": {"millrace.run": job["folder"]}}}
        return 404, {"errors": ["Not found: " + path]}

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
